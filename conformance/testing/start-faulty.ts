import type { FaultyServer } from './faults.ts';
import { type BuildMutant, startBuild } from './faulty-build.ts';
import { startProxy, toWs } from './proxy.ts';
import type { ReferenceServer } from './reference-server.ts';

/** A server with one fault, in front of the reference server or in a part of it. */
export type Mutant = FaultyServer | BuildMutant;

/** The addresses of a faulty server. */
export interface RunningFaulty {
  readonly baseUrl: string;
  readonly wsUrl: string;
  close(): Promise<void>;
}

/** Starts a faulty server in front of, or over the database of, a clean one. */
export async function startFaulty(clean: ReferenceServer, faulty: Mutant): Promise<RunningFaulty> {
  if ('build' in faulty) {
    const { url, wsUrl, close } = await startBuild(clean, faulty.build());
    return { baseUrl: url, wsUrl, close };
  }
  const fault = faulty.fault();
  const { url, close } = await startProxy(clean.url, fault);
  // Half of it is clean: the requests of a faulty event stream, or the event stream of faulty requests.
  if (fault.frames === undefined) return { baseUrl: url, wsUrl: clean.wsUrl, close };
  return { baseUrl: clean.url, wsUrl: toWs(url), close };
}
