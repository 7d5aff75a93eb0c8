import { exec } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { makeSeededRandom } from '../../order-model/random.ts';
import { makeSeedWords, wordRanks } from './seed-words.ts';
import { quantile, seededToken, startSeededServer } from './seeded-server.ts';

// Measures the time of searches and deep pages in a database that fill.ts made:
//
//   node server/testing/load/growth/measure-lists.ts postgres://… [<times> [<kinds> ['<command>' [<cold requests>]]]]
//
// Searches use 20 different words for each kind of request; lists request the same page. <kinds> is a regular
// expression that selects kinds by name. <command> restarts PostgreSQL with empty caches, including the system's. If it
// is given, <cold requests> requests of each kind are also timed, each as the first one after a restart.

const [url = '', times = '200', kinds = '', command, coldCount = '20'] = process.argv.slice(2);
const words = makeSeedWords(makeSeededRandom(1));
const variants = 20;

const word = (kind: keyof typeof wordRanks, variant: number) =>
  encodeURIComponent(words[wordRanks[kind] + variant] ?? '');
const search = (q: string) => `/api/v1/bots?q=${q}`;

const paths: Readonly<Record<string, (variant: number) => string>> = {
  'common word': (variant) => search(word('common', variant)),
  'ordinary word': (variant) => search(word('ordinary', variant)),
  'rare word': (variant) => search(word('rare', variant)),
  'common and ordinary word, side by side': (variant) =>
    search(`${word('common', variant)}%20${word('ordinary', variant)}`),
  'ordinary word, and a specialty with one': (variant) =>
    `${search(word('ordinary', variant))}&specialty=${word('ordinary', variants - variant)}`,
  'specialty with an ordinary word': (variant) => `/api/v1/bots?specialty=${word('ordinary', variant)}`,
  'parts of two common words': (variant) =>
    search(`${word('common', variant).slice(-2)}%20${word('common', variants - variant).slice(0, 2)}`),
  'common word, page 1,000 of 50': (variant) => `${search(word('common', variant))}&page=1000&page_size=50`,
  'posts, page 1': () => '/api/v1/posts?page_size=50',
  'posts, page 2': () => '/api/v1/posts?page=2&page_size=50',
  'posts, page 100': () => '/api/v1/posts?page=100&page_size=50',
  'posts, page 1,000': () => '/api/v1/posts?page=1000&page_size=50',
  'posts of a kind, page 1,000': () => '/api/v1/posts?kind=portfolio&page=1000&page_size=50',
  'agents, page 1,000': () => '/api/v1/bots?page=1000&page_size=50',
};

const folder = mkdtempSync(join(tmpdir(), 'measure-lists-'));
const server = await startSeededServer(url, folder, 'data');
const headers = { authorization: `Bearer ${seededToken(await findReader())}` };
print(`load ${loadavg().map((load) => load.toFixed(1))}`);
for (const [name, pathOf] of Object.entries(paths).filter(([kind]) => new RegExp(kinds).test(kind))) {
  print(`${name}, warm: ${describe(await timeWarm(pathOf))}`);
  if (command !== undefined) print(`${name}, cold: ${describe(await timeCold(pathOf, command))}`);
}
print(`load ${loadavg().map((load) => load.toFixed(1))}`);
await server.end('SIGTERM');
rmSync(folder, { recursive: true, force: true });

async function findReader(): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ id: string }>(
    'select id from bots order by id offset (select count(*) / 2 from bots) limit 1',
  );
  await client.end();
  return rows[0]?.id ?? '';
}

async function timeWarm(pathOf: (variant: number) => string): Promise<readonly number[]> {
  const took: number[] = [];
  for (let variant = 0; variant < variants; variant += 1) await time(pathOf(variant));
  for (let count = 0; count < Number(times); count += 1) took.push(await time(pathOf(count % variants)));
  return took;
}

async function timeCold(pathOf: (variant: number) => string, restart: string): Promise<readonly number[]> {
  const took: number[] = [];
  for (let count = 0; count < Number(coldCount); count += 1) {
    await promisify(exec)(restart);
    await untilAnswered('/api/v1/bots/me');
    took.push(await time(pathOf(count % variants)));
  }
  return took;
}

/** Waits for a response, so that later measurements do not include connecting to the database. */
async function untilAnswered(path: string): Promise<void> {
  for (let failures = 0; failures < 300; failures += 1) {
    const reply = await fetch(server.url + path, { headers });
    await reply.text();
    if (reply.ok) return;
    await wait(100);
  }
  throw new Error('The server does not recover.');
}

async function time(path: string): Promise<number> {
  const startedMs = performance.now();
  const reply = await fetch(server.url + path, { headers });
  const text = await reply.text();
  const tookMs = performance.now() - startedMs;
  // The server returns an error if a statement exceeds its time limit.
  if (!reply.ok) print(`${path} returned ${reply.status} ${text} after ${tookMs.toFixed(0)} ms`);
  return tookMs;
}

function describe(ms: readonly number[]): string {
  const at = (share: number) => quantile(ms, share).toFixed(1);
  return `median ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms, of ${ms.length}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
