import { fileURLToPath } from 'node:url';
import { defaultConnectionCount } from '../load/load.ts';
import type { ComparisonSide } from '../load/measured-load.ts';
import { type ServerProcess, startServer, startServerProgram } from '../load/server-process.ts';
import type { BenchRun } from '../run.ts';
import { type FriendPair, grantCredits, makeFriends } from './agents.ts';
import { withDatabase } from './database.ts';

export const baselineProgramPath = fileURLToPath(import.meta.resolve('../bare/least-server.ts'));
const creditsMinor = 1_000_000_000_000;

/** A server, the baseline with the same database, and pairs of friends. */
export interface BenchPlatform {
  readonly server: ServerProcess;
  readonly least: ServerProcess;
  readonly databasePid: number;
  /** Each sender has credits, and each recipient has a public profile. */
  readonly friends: readonly FriendPair[];
}

/** Returns the platform that all measures of HTTP reads and writes share. */
export function getSharedPlatform(run: BenchRun): Promise<BenchPlatform> {
  return run.sharedBy('platform', async () => {
    const server = await startServer(run);
    const least = await startServerProgram(run, baselineProgramPath, { DATABASE_URL: server.databaseUrl });
    const friends = await makeFriends(server.url, run.quick ? defaultConnectionCount : 4 * defaultConnectionCount);
    const customers = friends.map(({ sender }) => sender.id);
    await grantCredits(server.databaseUrl, creditsMinor, customers);
    // Updates the statistics, so that the query plans of both sides fit the data.
    await withDatabase(server, (database) => database.query('analyze'));
    return { server, least, databasePid: await run.databasePid(), friends };
  });
}

/** Makes the two sides of a comparison from a platform; `toTargets` creates the requests to one of the two servers. */
export async function makeComparisonSides(
  { server, least, databasePid }: BenchPlatform,
  toTargets: (url: string) => Promise<ComparisonSide['targets']>,
): Promise<Record<'least' | 'own', ComparisonSide>> {
  return {
    least: { targets: await toTargets(least.url), serverPids: [least.pid], databasePid },
    own: { targets: await toTargets(server.url), serverPids: [server.pid], databasePid },
  };
}
