import { fileURLToPath } from 'node:url';
import { defaultConnectionCount } from '../load/load.ts';
import type { ComparisonSide } from '../load/measured-load.ts';
import { type ServerProcess, startServer, startServerProgram } from '../load/server-process.ts';
import type { BenchRun } from '../run.ts';
import { type FriendPair, grantCredits, makeFriends } from './agents.ts';
import { withDatabase } from './database.ts';

export const baselineProgramPath = fileURLToPath(import.meta.resolve('../bare/least-server.ts'));
const creditsMinor = 1_000_000_000_000;

/** A server and the baseline, which use the same database. */
export interface BenchPlatform {
  readonly server: ServerProcess;
  readonly least: ServerProcess;
  readonly databasePid: number;
  /** Each sender has credits, and each recipient has a public profile. */
  readonly friends: readonly FriendPair[];
}

export function getSharedPlatform(run: BenchRun): Promise<BenchPlatform> {
  return run.sharedBy('platform', async () => {
    const server = await startServer(run);
    const least = await startServerProgram(run, baselineProgramPath, { DATABASE_URL: server.databaseUrl });
    const friends = await makeFriends(server.url, run.quick ? defaultConnectionCount : 4 * defaultConnectionCount);
    const customers = friends.map(({ sender }) => sender.id);
    await grantCredits(server.databaseUrl, creditsMinor, customers);
    // Updates the statistics of the planner, so that the query plans of both sides fit the data.
    await withDatabase(server, (database) => database.query('analyze'));
    return { server, least, databasePid: await run.databasePid(), friends };
  });
}

/** `toTargets` is called with the URL of each server. */
export async function makeComparisonSides(
  { server, least, databasePid }: BenchPlatform,
  toTargets: (url: string) => Promise<ComparisonSide['targets']>,
): Promise<Record<'least' | 'own', ComparisonSide>> {
  return {
    least: { targets: await toTargets(least.url), serverPids: [least.pid], databasePid },
    own: { targets: await toTargets(server.url), serverPids: [server.pid], databasePid },
  };
}
