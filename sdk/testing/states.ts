import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type ClientState, memoryState, type StateLimits, sqliteState } from '../src/index.ts';

/** Makes a state in a place; two of the same place share it, save in memory. */
export type MakeState = (place: string, limits?: StateLimits) => ClientState;

/** The state that outlives a process. */
export const durableState: MakeState = (place, limits) => sqliteState(join(place, 'state.sqlite'), limits);

/** Every kind of state. */
export const allStates: readonly { readonly name: string; readonly make: MakeState }[] = [
  { name: 'memory', make: (_, limits) => memoryState(limits) },
  { name: 'node:sqlite', make: durableState },
];

/** A folder that is removed after the test. */
export async function freshPlace(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'state-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
