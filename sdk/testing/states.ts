import { join } from 'node:path';
import * as sdk from '../src/index.ts';

/** Makes a state in a folder. Two states in the same folder share their data, except states in memory. */
export type MakeState = (place: string, limits?: sdk.StateLimits) => sdk.ClientState;

/** Makes a state that outlives its process. */
export const durableState: MakeState = (place, limits) => sdk.sqliteState(join(place, 'state.sqlite'), limits);

/** Every kind of state. */
export const allStates: readonly { readonly name: string; readonly make: MakeState }[] = [
  { name: 'memory', make: (_, limits) => sdk.memoryState(limits) },
  { name: 'node:sqlite', make: durableState },
];

/** Stores one event; its share is by default its topic. */
export async function keep(inbox: sdk.InboxStore, event: sdk.StoredEvent, topic: string, at: number, share = topic) {
  return (await inbox.keepAll([{ event, topic, share }], at))[0] ?? 'full';
}
