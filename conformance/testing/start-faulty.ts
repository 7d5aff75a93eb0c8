import type { FaultyServer } from './faults.ts';
import { type BuildMutant, type RunningBuild, startBuild } from './faulty-build.ts';
import { startProxy, toStreamUrl } from './proxy.ts';
import type { ReferenceServer } from './reference-server.ts';

/** A server with one fault, in front of the reference server or in a part of it. */
export type Mutant = FaultyServer | BuildMutant;

/** Starts a faulty server in front of a clean server, or on its database. */
export async function startFaulty(clean: ReferenceServer, faulty: Mutant): Promise<RunningBuild> {
  if ('build' in faulty) return await startBuild(clean, faulty.build());
  const fault = faulty.fault();
  const { url, close } = await startProxy(clean.url, fault);
  // A fault concerns either HTTP requests or the event stream; the clean server handles the other one.
  if (fault.frames === undefined) return { url, wsUrl: clean.wsUrl, close };
  return { url: clean.url, wsUrl: toStreamUrl(url), close };
}
