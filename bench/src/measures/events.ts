import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { request } from 'undici';
import type { WebSocket } from 'ws';
import { insertAgents, insertBacklog, openSocket, post } from '../event-agents.ts';
import type { Figure, Measure, Run } from '../measure.ts';
import { median, summary } from '../median.ts';
import { type RegisteredAgent, registerAgent } from '../registered-agent.ts';
import { referenceServer, type ServerProcess, startServerProcess } from '../server-process.ts';

const echoServer = fileURLToPath(import.meta.resolve('../bare/echo-server.ts'));

const withoutLimits = {
  PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '1000000000',
  PLATFORM_WRITES_PER_MINUTE: '1000000000',
  PLATFORM_MESSAGES_PER_MINUTE: '1000000000',
  PLATFORM_EVENT_CONNECTIONS: '1000000',
};

// What a process holds is what is left after a full collection. Its resident memory
// says less: that is mostly what the handshakes have left behind, and a heap that
// has grown for the first half of the connections has room for the second.
const tellsMemory = `
  import { writeFileSync } from 'node:fs';
  process.on('SIGUSR2', () => {
    gc();
    gc();
    writeFileSync('memory.json', JSON.stringify(process.memoryUsage()));
  });`;
const tellsMemoryOnSignal = {
  NODE_OPTIONS: `--expose-gc --import=data:text/javascript,${encodeURIComponent(tellsMemory).replaceAll("'", '%27')}`,
};
const collectionMs = 1_000;

/** The event stream: how soon an event arrives, what a connection costs, how a backlog drains. */
export const events: Measure = {
  name: 'events',
  title:
    'from sending to the frame against one commit and a bare echo; memory and backlogs of connections (PostgreSQL)',
  take: async (run) => {
    const databaseUrl = await run.freshDatabase();
    const [serverFolder, bareFolder] = [run.freshFolder(), run.freshFolder()];
    const settings = { DATABASE_URL: databaseUrl, ...withoutLimits, ...tellsMemoryOnSignal };
    const server = await startServerProcess(referenceServer, serverFolder, settings);
    const bare = await startServerProcess(echoServer, bareFolder, tellsMemoryOnSignal);
    const database = new Client({ connectionString: databaseUrl });
    await database.connect();
    try {
      return [
        // First, while no other work has grown the heaps.
        ...(await takeMemory(run, { ...server, folder: serverFolder }, { ...bare, folder: bareFolder }, database)),
        ...(await takeTimes(run, server, bare, database)),
        ...(await takeBacklogs(run, server, database)),
      ];
    } finally {
      await database.end();
      await Promise.all([server.stop(), bare.stop()]);
    }
  },
};

function nextFrame(socket: WebSocket): Promise<string> {
  return new Promise((resolve) => socket.once('message', (data: Buffer) => resolve(data.toString())));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN;
}

async function takeTimes(
  run: Run,
  server: ServerProcess,
  bare: ServerProcess,
  database: Client,
): Promise<readonly Figure[]> {
  const [alice, bob] = [await registerAgent(server.url, 'alice'), await registerAgent(server.url, 'bob')];
  await befriend(server.url, alice, bob);
  const envelope = { ...(await keysOf(server.url, alice, bob)), recipient_id: bob.id, encryption_version: 'box-v1' };
  const socket = await openSocket(server.url, bob.token);
  const echo = await openSocket(bare.url);
  await database.query('create table commits (id uuid primary key, content text)');
  const ciphertext = randomBytes(1_024).toString('base64');
  socket.on('message', (data: Buffer) => {
    const frame: { readonly type: string; readonly event_id: string } = JSON.parse(data.toString());
    if (frame.type === 'event') socket.send(JSON.stringify({ type: 'ack', event_id: frame.event_id }));
  });
  const whole = () =>
    timed(async () => {
      const client_message_id = randomUUID();
      const arrival = new Promise<void>((resolve) => {
        const see = (data: Buffer) => {
          if (!data.toString().includes(client_message_id)) return;
          socket.off('message', see);
          resolve();
        };
        socket.on('message', see);
      });
      const nonce = randomBytes(24).toString('base64');
      await post(server.url, alice.token, '/api/v1/messages', { ...envelope, client_message_id, nonce, ciphertext });
      await arrival;
    });
  const least = () =>
    timed(async () => {
      await database.query('insert into commits values ($1, $2)', [randomUUID(), ciphertext]);
      const answer = nextFrame(echo);
      echo.send(ciphertext);
      await answer;
    });
  for (let round = 0; round < 50; round += 1) await Promise.all([whole(), least()]);
  const pairs: { whole: number; least: number }[] = [];
  for (let round = 0; round < (run.quick ? 50 : 1_000); round += 1)
    pairs.push({ least: await least(), whole: await whole() });
  socket.terminate();
  echo.terminate();
  const [wholes, leasts] = [pairs.map((pair) => pair.whole), pairs.map((pair) => pair.least)];
  return [
    {
      name: 'p99 from sending to the frame, by one commit and an echo',
      value: percentile(wholes, 0.99) / percentile(leasts, 0.99),
      unit: '',
      target: { below: 3 },
    },
    { name: 'the same of the medians', value: median(wholes) / median(leasts), unit: '' },
    { name: 'sending to frame, p50', value: median(wholes), unit: 'ms' },
    { name: 'sending to frame, p99', value: percentile(wholes, 0.99), unit: 'ms' },
    { name: 'commit and echo, p50', value: median(leasts), unit: 'ms' },
    { name: 'commit and echo, p99', value: percentile(leasts, 0.99), unit: 'ms' },
  ];
}

async function befriend(url: string, alice: RegisteredAgent, bob: RegisteredAgent): Promise<void> {
  const asked = { recipient_id: bob.id };
  type Asked = { readonly contact: { readonly contact_id: string } };
  const { contact } = await post<Asked>(url, alice.token, '/api/v1/contacts/requests', asked);
  await post(url, bob.token, `/api/v1/contacts/${contact.contact_id}/accept`, {});
}

async function keysOf(url: string, alice: RegisteredAgent, bob: RegisteredAgent) {
  const keyOf = async ({ token }: RegisteredAgent) => {
    const answer = await request(`${url}/api/v1/bots/me`, { headers: { authorization: `Bearer ${token}` } });
    const { bot } = (await answer.body.json()) as { readonly bot: { readonly encryption_public_key: string } };
    return bot.encryption_public_key;
  };
  return { sender_public_key: await keyOf(alice), recipient_public_key: await keyOf(bob) };
}

/** Drains a backlog with an ack for every event, and tells when each answer came, in ms from the start. */
async function drain(url: string, token: string, count: number): Promise<readonly number[]> {
  const startedMs = performance.now();
  const socket = await openSocket(url, token);
  const acked: number[] = [];
  await new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer) => {
      const frame: { readonly type: string; readonly event_id: string } = JSON.parse(data.toString());
      if (frame.type === 'event') socket.send(JSON.stringify({ type: 'ack', event_id: frame.event_id }));
      else if (acked.push(performance.now() - startedMs) === count) resolve();
    });
  });
  socket.terminate();
  return acked;
}

async function takeBacklogs(run: Run, server: ServerProcess, database: Client): Promise<readonly Figure[]> {
  const [short, long] = run.quick ? [200, 2_000] : [2_000, 20_000];
  const part = short / 2;
  const rounds: { perSecond: number; lastByFirst: number; longByShort: number }[] = [];
  const [warm, ...agents] = await insertAgents(database, 'drained_', run.quick ? 3 : 7);
  if (warm === undefined) throw new Error('No agent was made.');
  await insertBacklog(database, warm.id, short);
  await drain(server.url, warm.token, short);
  for (let at = 0; at + 1 < agents.length; at += 2) {
    const [few, many] = [agents[at] ?? warm, agents[at + 1] ?? warm];
    await insertBacklog(database, few.id, short);
    await insertBacklog(database, many.id, long);
    const shortMs = (await drain(server.url, few.token, short)).at(-1) ?? Number.NaN;
    const times = await drain(server.url, many.token, long);
    const endOf = (index: number) => times.at(index) ?? Number.NaN;
    rounds.push({
      perSecond: (long / endOf(-1)) * 1_000,
      lastByFirst: (endOf(-1) - endOf(-part - 1)) / endOf(part - 1),
      longByShort: endOf(-1) / long / (shortMs / short),
    });
  }
  return [
    {
      name: `cost of an event, the last ${part} of ${long} by the first ${part}`,
      ...summary(rounds.map(({ lastByFirst }) => lastByFirst)),
      unit: '',
      target: { below: 1.5 },
    },
    {
      name: `cost of an event, a backlog of ${long} by one of ${short}`,
      ...summary(rounds.map(({ longByShort }) => longByShort)),
      unit: '',
      target: { below: 1.5 },
    },
    { name: `draining ${long}`, ...summary(rounds.map(({ perSecond }) => perSecond)), unit: 'events/s' },
  ];
}

/** A process that tells of its memory in its folder. */
type Watched = ServerProcess & { readonly folder: string };

// Twice as many are connected, and the second half is what counts: what a process
// makes for its first connection of all belongs to none of them.
async function takeMemory(run: Run, server: Watched, bare: Watched, database: Client): Promise<readonly Figure[]> {
  const many = run.quick ? { count: 200, lateMs: 500 } : { count: 2_000, lateMs: 3_000 };
  const { count } = many;
  const agents = await insertAgents(database, 'connected_', 2 * count);
  const own = await takeConnections(server, many, (index) => openSocket(server.url, agents[index]?.token ?? ''));
  const least = await takeConnections(bare, many, () => openSocket(bare.url));
  const [ownKib, leastKib] = [own / 1_024, least / 1_024];
  run.say(`${count} connections: ${ownKib.toFixed(1)} KiB each, bare ${leastKib.toFixed(1)} KiB each`);
  return [
    { name: `memory of a connection, of ${count}, by a bare one`, value: own / least, unit: '', target: { below: 2 } },
    { name: 'a connection', value: ownKib, unit: 'KiB' },
    { name: 'a bare connection', value: leastKib, unit: 'KiB' },
  ];
}

const atOnce = 20;

/** Bytes that a connection holds: on the heap of JavaScript and beside it. */
async function takeConnections(
  side: Watched,
  { count, lateMs }: { readonly count: number; readonly lateMs: number },
  open: (index: number) => Promise<WebSocket>,
): Promise<number> {
  const sockets: WebSocket[] = [];
  const connect = async () => {
    for (let at = 0; at < count; at += atOnce) {
      const first = sockets.length;
      sockets.push(...(await Promise.all(Array.from({ length: atOnce }, (_, index) => open(first + index)))));
    }
    // The last of them are let in a moment after their handshake.
    await wait(lateMs);
    process.kill(side.pid, 'SIGUSR2');
    await wait(collectionMs);
    const used: NodeJS.MemoryUsage = JSON.parse(readFileSync(join(side.folder, 'memory.json'), 'utf8'));
    return used.heapUsed + used.external;
  };
  const half = await connect();
  const whole = await connect();
  const isOpen = sockets.filter(({ readyState }) => readyState === 1).length;
  for (const socket of sockets) socket.terminate();
  if (isOpen !== 2 * count) throw new Error(`${isOpen} of ${2 * count} stayed connected.`);
  return (whole - half) / count;
}
