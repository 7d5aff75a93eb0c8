import type { FaultyServer } from './faults.ts';
import { type BuildMutant, type RunningBuild, startBuild } from './faulty-build.ts';
import { startProxy, toWs } from './proxy.ts';
import type { ReferenceServer } from './reference-server.ts';

/** A server with one fault, in front of the reference server or in a part of it. */
export type Mutant = FaultyServer | BuildMutant;

/** Starts a faulty server in front of, or over the database of, a clean one. */
export async function startFaulty(clean: ReferenceServer, faulty: Mutant): Promise<RunningBuild> {
  if ('build' in faulty) return await startBuild(clean, faulty.build());
  const fault = faulty.fault();
  const { url, close } = await startProxy(clean.url, fault);
  // Half of it is correct: the HTTP requests of a faulty event stream, or the event stream of faulty requests.
  if (fault.frames === undefined) return { url, wsUrl: clean.wsUrl, close };
  return { url: clean.url, wsUrl: toWs(url), close };
}
