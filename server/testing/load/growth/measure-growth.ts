import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerProcess } from '@agent-platform/testing';
import { Client } from 'pg';
import { runOperatorProcess } from '../../processes/operator-process.ts';
import { quantile, seededToken, settingsForSeededDatabase, startSeededServer } from './seeded-server.ts';

// Compares first pages and frequent commands in two databases made by fill.ts, one with few agents and one with many,
// alternating request by request; then times `operator stats` in the second:
//   node server/testing/load/growth/measure-growth.ts postgres://…/few postgres://…/many [<rounds> <pairs>]
// Each request comes from one of <pairs> pairs of friends, all of which have sent the same request before; with many
// pairs, most of their rows are not in the database's cache. Writes messages, posts and offers to both databases.

interface Pair {
  readonly first_id: string;
  readonly second_id: string;
  readonly first_key: string;
  readonly second_key: string;
  readonly second_handle: string;
}

interface Call {
  readonly path: string;
  readonly body?: object;
}

const [fewUrl = '', manyUrl = '', roundCount = '7', pairCount = '100'] = process.argv.slice(2);
const roundRequests = 100;
const ratioMax = 1.3;
const median = (values: readonly number[]) => quantile(values, 0.5);

const deadline = () => new Date(Date.now() + 86_400_000).toISOString();
const base64 = (bytes: number) => randomBytes(bytes).toString('base64');

const commands: Readonly<Record<string, (pair: Pair) => Call>> = {
  'own profile': () => ({ path: '/api/v1/bots/me' }),
  wallet: () => ({ path: '/api/v1/wallet' }),
  'wallet history': () => ({ path: '/api/v1/wallet/history' }),
  card: ({ second_id }) => ({ path: `/api/v1/bots/${second_id}` }),
  cards: () => ({ path: '/api/v1/bots' }),
  posts: () => ({ path: '/api/v1/posts' }),
  'posts of a kind': () => ({ path: '/api/v1/posts?kind=portfolio' }),
  contacts: () => ({ path: '/api/v1/contacts' }),
  orders: () => ({ path: '/api/v1/orders' }),
  'orders of a state': () => ({ path: '/api/v1/orders?state=closed' }),
  dialog: ({ second_id }) => ({ path: `/api/v1/messages?peer=${second_id}` }),
  'search for a handle': ({ second_handle }) => ({ path: `/api/v1/bots?q=${second_handle}` }),
  'send a message': (pair) => ({
    path: '/api/v1/messages',
    body: {
      recipient_id: pair.second_id,
      client_message_id: randomUUID(),
      encryption_version: 'box-v1',
      nonce: base64(24),
      ciphertext: base64(200),
      sender_public_key: pair.first_key,
      recipient_public_key: pair.second_key,
    },
  }),
  'write a post': () => ({
    path: '/api/v1/posts',
    body: { kind: 'update', title: 'A picture', text: 'of a grey cat on a red chair', visibility: 'public' },
  }),
  'offer an order': ({ second_id }) => ({
    path: '/api/v1/orders',
    body: {
      operation_id: randomUUID(),
      title: 'A picture',
      description: 'of a cat',
      deadline: deadline(),
      amount_minor: 10,
      customer_id: second_id,
    },
  }),
};

type Side = Awaited<ReturnType<typeof openSide>>;

const folder = mkdtempSync(join(tmpdir(), 'measure-growth-'));
const sides = { few: await openSide('few', fewUrl), many: await openSide('many', manyUrl) };
print(`load ${loadavg().map((load) => load.toFixed(1))}`);
for (const name of Object.keys(commands)) print(await compare(name));
print(`load ${loadavg().map((load) => load.toFixed(1))}`);
for (const { server } of Object.values(sides)) await server.end('SIGTERM');
for (let time = 0; time < 3; time += 1) {
  const { ms, code, err } = await runOperatorProcess(settingsForSeededDatabase(manyUrl, join(folder, 'many')), [
    'stats',
  ]);
  if (code !== 0) throw new Error(err);
  print(`operator stats: ${(ms / 1_000).toFixed(2)} s including the start of its process`);
}
rmSync(folder, { recursive: true, force: true });

async function openSide(name: string, url: string): Promise<{ server: ServerProcess; pairs: readonly Pair[] }> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows: pairs } = await client.query<Pair>(
    `select first_id, second_id, one.encryption_public_key as first_key, other.encryption_public_key as second_key,
       other.handle as second_handle
     from (
       select * from contacts where id > (
         select id from contacts order by id offset 1 limit 1
       ) and exists (select from messages where contact_id = contacts.id)
       order by md5(id::text) limit $1
     ) chosen
     join bots one on one.id = first_id join bots other on other.id = second_id`,
    [pairCount],
  );
  await client.end();
  return { server: await startSeededServer(url, folder, name), pairs };
}

async function compare(name: string): Promise<string> {
  const make = commands[name];
  if (make === undefined) throw new Error(name);
  for (const side of Object.values(sides)) for (const pair of side.pairs) await timeRequest(side, make, pair);
  const rounds: Record<keyof typeof sides, number>[] = [];
  for (let round = 0; round < Number(roundCount); round += 1) rounds.push(await takeRound(make, roundRequests));
  const ratios = rounds.map(({ few, many }) => many / few).toSorted((one, other) => one - other);
  const show = (value = Number.NaN) => value.toFixed(2);
  const ratio = median(ratios);
  const ms = (side: keyof typeof sides) => show(median(rounds.map((round) => round[side])));
  const words = `${name}: ${show(ratio)} (${show(ratios[0])} to ${show(ratios.at(-1))}), ${ms('few')} ms and ${ms('many')} ms`;
  return ratio > ratioMax ? `${words}: MORE THAN ${ratioMax}` : words;
}

/** Returns the median duration in ms on each database. Requests alternate, so that other load affects both equally. */
async function takeRound(make: (pair: Pair) => Call, count: number): Promise<Record<keyof typeof sides, number>> {
  const took: Record<keyof typeof sides, number[]> = { few: [], many: [] };
  for (let number = 0; number < count; number += 1) {
    took.few.push(await timeRequest(sides.few, make));
    took.many.push(await timeRequest(sides.many, make));
  }
  return { few: median(took.few), many: median(took.many) };
}

async function timeRequest(
  { server, pairs }: Side,
  make: (pair: Pair) => Call,
  pair = pairs[Math.floor(Math.random() * pairs.length)],
): Promise<number> {
  if (pair === undefined) throw new Error('The database has no dialogs: fill it with fill.ts.');
  const { path, body } = make(pair);
  const headers = { authorization: `Bearer ${seededToken(pair.first_id)}`, 'content-type': 'application/json' };
  const request = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const startedMs = performance.now();
  const reply = await fetch(`${server.url}${path}`, request);
  const text = await reply.text();
  const tookMs = performance.now() - startedMs;
  if (!reply.ok) throw new Error(`${path} returned ${reply.status} ${text}`);
  return tookMs;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
