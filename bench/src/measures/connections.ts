import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { WebSocket } from 'ws';
import { takeRounds, toFigures } from '../figures/rounds.ts';
import { measuredWork } from '../load/measured-load.ts';
import { readResidentBytes } from '../load/process-figures.ts';
import { type ServerProcess, startProcess, startServer } from '../load/server-process.ts';
import type { Measure } from '../measure.ts';
import { insertAgents } from '../scenarios/agents.ts';
import { withDatabase } from '../scenarios/database.ts';
import { insertEvent, openSocket } from '../scenarios/event-sockets.ts';
import { takeStorm } from '../scenarios/storm.ts';

const echoServer = fileURLToPath(import.meta.resolve('../bare/echo-server.ts'));
const leastServer = fileURLToPath(import.meta.resolve('../bare/least-server.ts'));

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

/** What an idle connection costs. */
export const connections: Measure = {
  name: 'connections',
  title: 'memory of an idle event connection, of 2,000 that came 20 at a time',
  baseline: 'a connection to a bare WebSocket server',
  leavesOut: 'the token, the limits of connections, pings, the list of events that wait for an ack',
  take: async (run) => {
    const server = await startServer(run, tellsMemoryOnSignal);
    const bare = await startProcess(run, echoServer, tellsMemoryOnSignal);
    const many = run.quick ? { count: 200, lateMs: 300 } : { count: 2_000, lateMs: 3_000 };
    const agents = await withDatabase(server, (database) => insertAgents(database, 'connected_', 2 * many.count));
    const own = await takeConnections(server, many, (index) => openSocket(server.url, agents[index]?.token ?? ''));
    const least = await takeConnections(bare, many, () => openSocket(bare.url));
    run.say(
      `${many.count} connections: ${own.resident.toFixed(1)} KiB each, bare ${least.resident.toFixed(1)} KiB each`,
    );
    return [
      {
        name: 'resident memory of a connection by a bare one',
        value: own.resident / least.resident,
        unit: '',
        target: { below: 3 },
      },
      { name: 'a connection, resident', value: own.resident, unit: 'KiB' },
      { name: 'a bare connection, resident', value: least.resident, unit: 'KiB' },
      {
        name: 'memory of a connection after a collection by a bare one',
        value: own.held / least.held,
        unit: '',
        target: { below: 2 },
      },
      { name: 'a connection, after a collection', value: own.held, unit: 'KiB' },
      { name: 'a bare connection, after a collection', value: least.held, unit: 'KiB' },
    ];
  },
};

/** Many agents that connect at the same time. */
export const storm: Measure = {
  name: 'storm',
  title: 'a storm of 2,000 event connections, until each agent has the event that waits for it',
  baseline: 'a WebSocket server with one prepared statement for each connection: whose token, which events',
  leavesOut: 'limits of connections, the second check of the token, acks, what other processes have to know',
  take: async (run) => {
    const server = await startServer(run, { PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '0' });
    const least = await startProcess(run, leastServer, { DATABASE_URL: server.databaseUrl });
    const databasePid = await run.databasePid();
    const tokens = await withDatabase(server, async (database) => {
      const agents = await insertAgents(database, 'stormy_', run.quick ? 200 : 2_000);
      await insertEvent(
        database,
        agents.map(({ id }) => id),
      );
      return agents.map(({ token }) => token);
    });
    const take = async ({ pid, url }: ServerProcess) => {
      const taken = await measuredWork({ serverPids: [pid], databasePid }, () => takeStorm(url, tokens));
      // The server lets go of the connections before the next storm.
      await wait(run.quick ? 100 : 2_000);
      return taken;
    };
    const sides = { least: () => take(least), own: () => take(server) };
    if (!run.quick) await takeRounds(1, sides);
    const rounds = await takeRounds(run.quick ? 1 : 5, sides);
    for (const { own, least: bare } of rounds)
      run.say(`${own.ms.toFixed(0)} ms with ${own.refused} refusals, least ${bare.ms.toFixed(0)} ms`);
    return toFigures(rounds, [
      ['time by that of the baseline', (round) => round.own.ms / round.least.ms, '', { below: 2 }],
      ['let in at once', ({ own }) => 100 * (1 - own.refused / own.count), '%', { atLeast: 100 }],
      ['server', (round) => round.own.ms, 'ms'],
      ['least', (round) => round.least.ms, 'ms'],
      ['server, processor of server', (round) => round.own.serverUs, 'µs'],
      ['server, processor of database', (round) => round.own.databaseUs, 'µs'],
      ['least, processor of server', (round) => round.least.serverUs, 'µs'],
      ['least, processor of database', (round) => round.least.databaseUs, 'µs'],
    ]).filter(({ value }) => !Number.isNaN(value));
  },
};

const atOnce = 20;
const pageKib = 4;

/**
 * KiB of a connection: by how much the resident memory of the process grows, and what JavaScript holds on its heap and
 * beside it after a collection. For the latter twice as many are connected, and the second half counts: what a process
 * makes for its first connection belongs to none.
 */
async function takeConnections(
  side: ServerProcess,
  { count, lateMs }: { readonly count: number; readonly lateMs: number },
  open: (index: number) => Promise<WebSocket>,
): Promise<Record<'resident' | 'held', number>> {
  const sockets: WebSocket[] = [];
  const connect = async () => {
    for (let at = 0; at < count; at += atOnce) {
      const first = sockets.length;
      sockets.push(...(await Promise.all(Array.from({ length: atOnce }, (_, index) => open(first + index)))));
    }
    // The last of them are let in a moment after their handshake.
    await wait(lateMs);
    const resident = readResidentBytes(side.pid);
    process.kill(side.pid, 'SIGUSR2');
    await wait(collectionMs);
    const used: NodeJS.MemoryUsage = JSON.parse(readFileSync(join(side.folder, 'memory.json'), 'utf8'));
    return { resident, held: used.heapUsed + used.external };
  };
  const emptyResident = readResidentBytes(side.pid);
  const half = await connect();
  const whole = await connect();
  const isOpen = sockets.filter(({ readyState }) => readyState === 1).length;
  for (const socket of sockets) socket.terminate();
  if (isOpen !== 2 * count) throw new Error(`${isOpen} of ${2 * count} stayed connected.`);
  // Memory comes in pages, and few connections may fit into those that are there.
  const resident = Math.max(pageKib, (half.resident - emptyResident) / 1_024) / count;
  return { resident, held: (whole.held - half.held) / 1_024 / count };
}
