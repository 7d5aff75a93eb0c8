import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from 'undici';

const run = promisify(execFile);
const seeder = fileURLToPath(import.meta.resolve('../../server/testing/seed-public-life.ts'));
const sqlTimer = fileURLToPath(import.meta.resolve('../../server/testing/time-public-life-sql.ts'));
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

/** How long the SQL of a search, or of a page of posts, takes when the driver alone sends it; in ms. */
export async function timeSql(
  databaseUrl: string,
  times: number,
  what: 'search' | 'posts',
  value: string,
): Promise<readonly number[]> {
  const args = [sqlTimer, databaseUrl, String(times), what, value];
  const { ms }: { ms: number[] } = JSON.parse((await run(process.execPath, args, { timeout: sqlTimeoutMs })).stdout);
  return ms;
}

/** How long a request takes, one after the other on one connection; in ms. */
export async function timeRequests(
  url: string,
  path: string,
  token: string,
  times: number,
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
    for (let warming = 0; warming < 5; warming += 1) await ask();
    const took: number[] = [];
    for (let time = 0; time < times; time += 1) took.push(await ask());
    return took;
  } finally {
    await client.close();
  }
}

/** The value that 95 of 100 do not exceed. */
export function p95(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN;
}
