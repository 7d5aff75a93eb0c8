import { fileURLToPath } from 'node:url';
import { connections } from '../load/load.ts';
import type { Side } from '../load/measured-load.ts';
import { type ServerProcess, startProcess, startServer } from '../load/server-process.ts';
import type { Run } from '../run.ts';
import { type Friends, grantCredits, makeFriends } from './agents.ts';
import { withDatabase } from './database.ts';

/** The program of the baseline. */
export const baselineProgram = fileURLToPath(import.meta.resolve('../bare/least-server.ts'));
const creditsMinor = 1_000_000_000_000;

/** A server, the baseline on the same database, and friends. */
export interface Platform {
  readonly server: ServerProcess;
  readonly least: ServerProcess;
  readonly databasePid: number;
  /** Each sender has credits, each recipient a public profile. */
  readonly friends: readonly Friends[];
}

/** The platform of the measures that read and write through HTTP. */
export function sharePlatform(run: Run): Promise<Platform> {
  return run.sharedBy('platform', async () => {
    const server = await startServer(run);
    const least = await startProcess(run, baselineProgram, { DATABASE_URL: server.databaseUrl });
    const friends = await makeFriends(server.url, run.quick ? connections : 4 * connections);
    const customers = friends.map(({ sender }) => sender.id);
    await grantCredits(server.databaseUrl, creditsMinor, customers);
    // Makes the query plans of both sides fit the data.
    await withDatabase(server, (database) => database.query('analyze'));
    return { server, least, databasePid: await run.databasePid(), friends };
  });
}

/** Both server processes of a platform as sides of a comparison; `toTargets` creates the requests to one of them. */
export async function toSides(
  { server, least, databasePid }: Platform,
  toTargets: (url: string) => Promise<Side['targets']>,
): Promise<Record<'least' | 'own', Side>> {
  return {
    least: { targets: await toTargets(least.url), serverPids: [least.pid], databasePid },
    own: { targets: await toTargets(server.url), serverPids: [server.pid], databasePid },
  };
}
