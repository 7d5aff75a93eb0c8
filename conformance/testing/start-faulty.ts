import type { Mutant } from './faults.ts';
import { type BuildMutant, startBuild } from './faulty-build.ts';
import { type FrameFault, startFrameProxy } from './frame-proxy.ts';
import { startProxy } from './proxy.ts';
import type { ReferenceServer } from './reference-server.ts';

/** A server whose event stream is faulty, and the checks that must find it out. */
export interface FrameMutant {
  readonly name: string;
  readonly kills: readonly string[];
  readonly frames: () => FrameFault;
}

/** A server with one fault, whatever it is made of. */
export type FaultyServer = Mutant | BuildMutant | FrameMutant;

/** Where a faulty server is. */
export interface RunningFaulty {
  readonly baseUrl: string;
  readonly wsUrl: string;
  close(): Promise<void>;
}

/** Starts a faulty server in front of, or over the database of, a clean one. */
export async function startFaulty(clean: ReferenceServer, faulty: FaultyServer): Promise<RunningFaulty> {
  if ('build' in faulty) {
    const { url, wsUrl, close } = await startBuild(clean, faulty.build());
    return { baseUrl: url, wsUrl, close };
  }
  if ('frames' in faulty) {
    const { url, close } = await startFrameProxy(clean.wsUrl, faulty.frames());
    return { baseUrl: clean.url, wsUrl: url, close };
  }
  const { url, close } = await startProxy(clean.url, faulty.fault());
  return { baseUrl: url, wsUrl: clean.wsUrl, close };
}
