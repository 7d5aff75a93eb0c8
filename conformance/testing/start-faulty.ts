import type { FaultyServer } from './faults.ts';
import { type BuildMutant, type RunningFaultyServer, startFaultyBuild } from './faulty-build.ts';
import { startProxy, toStreamUrl } from './proxy.ts';
import type { ReferenceServer } from './reference-server.ts';

/** A faulty server: a proxy in front of the reference server, or a reference server with a faulty part. */
export type Mutant = FaultyServer | BuildMutant;

/** Starts a faulty server as a proxy in front of a correct server, or with the database of that server. */
export async function startFaultyServer(clean: ReferenceServer, faulty: Mutant): Promise<RunningFaultyServer> {
  if ('build' in faulty) return await startFaultyBuild(clean, faulty.build());
  const fault = faulty.fault();
  const { url, close } = await startProxy(clean.url, fault);
  // A fault concerns either HTTP requests or the event stream; the correct server handles the other one.
  if (fault.frames === undefined) return { url, wsUrl: clean.wsUrl, close };
  return { url: clean.url, wsUrl: toStreamUrl(url), close };
}
