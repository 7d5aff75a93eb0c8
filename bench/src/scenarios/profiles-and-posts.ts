import { Client } from 'undici';
import { timed } from '../figures/rounds.ts';
import { programPath, runProgram } from '../load/run-program.ts';
import { type ServerProcess, startProcess } from '../load/server-process.ts';
import type { Run } from '../run.ts';
import { send } from './send.ts';

/** Words of the seeded texts, from one that most agents use to one that few do. */
export interface SeededWords {
  readonly common: string;
  readonly ordinary: string;
  readonly rare: string;
}

/** Fills a database with agents that have public profiles, and with their public posts. */
export async function seedProfiles(databaseUrl: string, agents: number, posts: number): Promise<SeededWords> {
  return JSON.parse(await runProgram('seed-profiles-and-posts.ts', databaseUrl, agents, posts));
}

/** How often a request is sent before it is timed, and while it is. */
export interface Times {
  readonly warmUp: number;
  readonly times: number;
}

/** Page 1 of a list: what it is called at the server, and by the programs that send its statement. */
export interface Listed {
  readonly what: 'search' | 'posts';
  /** The word that is searched, or the agent that reads. */
  readonly value: string;
  readonly path: string;
}

/** Milliseconds by each way to page 1. */
export type WaysMs = Readonly<Record<'sql' | 'prepared' | 'bare' | 'server', readonly number[]>>;

/**
 * Times page 1 in each way, round after round: the statement sent by the driver alone as text and prepared, a bare
 * route around it, and the server.
 */
export async function takeWays(
  run: Run,
  server: ServerProcess,
  token: string,
  { what, value, path }: Listed,
  count: number,
  times: Times,
): Promise<readonly WaysMs[]> {
  const variable = what === 'search' ? 'SEARCH' : 'POSTS_OF';
  const settings = { DATABASE_URL: server.databaseUrl, [variable]: value };
  const bare = await startProcess(run, programPath('serve-statements.ts'), settings);
  const statement = [server.databaseUrl, times.warmUp, times.times, what, value] as const;
  const rounds: WaysMs[] = [];
  for (let number = 0; number < count; number += 1) {
    const printed = await runProgram('time-statements.ts', ...statement);
    const sql: { readonly ms: readonly number[]; readonly preparedMs: readonly number[] } = JSON.parse(printed);
    rounds.push({
      sql: sql.ms,
      prepared: sql.preparedMs,
      bare: await timeRequests(bare.url, '/', token, times),
      server: await timeRequests(server.url, path, token, times),
    });
  }
  await bare.stop();
  return rounds;
}

/** How long a request takes, one after the other on one connection; in ms. */
export async function timeRequests(
  url: string,
  path: string,
  token: string,
  { warmUp, times }: Times,
): Promise<readonly number[]> {
  const client = new Client(url);
  try {
    const took: number[] = [];
    for (let count = 0; count < warmUp + times; count += 1) {
      took.push(await timed(() => send(url, path, token, undefined, client)));
    }
    return took.slice(warmUp);
  } finally {
    await client.close();
  }
}
