import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'undici';
import { type ServerProcess, startServerProcess } from './server-process.ts';

const run = promisify(execFile);
const seeder = fileURLToPath(import.meta.resolve('../../server/testing/load/seed-profiles-and-posts.ts'));
const sqlTimer = fileURLToPath(import.meta.resolve('../../server/testing/load/time-statements.ts'));
const bareRoute = fileURLToPath(import.meta.resolve('../../server/testing/load/serve-statements.ts'));
const seedTimeoutMs = 900_000;
const sqlTimeoutMs = 120_000;

/** Words of the seeded texts, from one that most agents use to one that few do. */
export interface SeededWords {
  readonly common: string;
  readonly ordinary: string;
  readonly rare: string;
}

/** Fills a database with agents that have public profiles, and with their public posts. */
export async function seedPublicLife(databaseUrl: string, agents: number, posts: number): Promise<SeededWords> {
  const args = [seeder, databaseUrl, String(agents), String(posts)];
  return JSON.parse((await run(process.execPath, args, { timeout: seedTimeoutMs })).stdout);
}

/** How often something is done before it is timed, and while it is. */
export interface Times {
  readonly warmUp: number;
  readonly times: number;
}

/** How long the SQL takes when the driver alone sends it, in ms. */
export interface SqlTimes {
  /** Sent as text each time. */
  readonly ms: readonly number[];
  /** The same statements, prepared once on their connection. */
  readonly preparedMs: readonly number[];
}

/** Times the SQL of page 1 of a search for a word, or of the posts that an agent may read. */
export async function timeSql(
  databaseUrl: string,
  { warmUp, times }: Times,
  what: 'search' | 'posts',
  value: string,
): Promise<SqlTimes> {
  const args = [sqlTimer, databaseUrl, String(warmUp), String(times), what, value];
  return JSON.parse((await run(process.execPath, args, { timeout: sqlTimeoutMs })).stdout);
}

/** Starts a bare route that sends the same SQL, prepared, and answers its rows. */
export async function startBareRoute(
  databaseUrl: string,
  folder: string,
  what: 'search' | 'posts',
  value: string,
): Promise<ServerProcess> {
  const name = what === 'search' ? 'SEARCH' : 'POSTS_OF';
  return await startServerProcess(bareRoute, folder, { DATABASE_URL: databaseUrl, [name]: value });
}

/** How long a request takes, one after the other on one connection; in ms. */
export async function timeRequests(
  url: string,
  path: string,
  token: string,
  { warmUp, times }: Times,
): Promise<readonly number[]> {
  const client = new Client(url);
  const ask = async (): Promise<number> => {
    const startedMs = performance.now();
    const answer = await client.request({ method: 'GET', path, headers: { authorization: `Bearer ${token}` } });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode} ${text}`);
    return performance.now() - startedMs;
  };
  try {
    const took: number[] = [];
    for (let count = 0; count < warmUp + times; count += 1) took.push(await ask());
    return took.slice(warmUp);
  } finally {
    await client.close();
  }
}

/** The value that 95 of 100 do not exceed. */
export function p95(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN;
}
