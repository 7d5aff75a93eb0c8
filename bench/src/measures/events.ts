import { randomBytes, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { takeRounds, timed, toFigures } from '../figures/rounds.ts';
import { median, percentile } from '../figures/statistics.ts';
import { readProcessorMs } from '../load/process-figures.ts';
import { type ServerProcess, startProcess, startServer } from '../load/server-process.ts';
import type { Figure, Measure } from '../measure.ts';
import type { Run } from '../run.ts';
import { insertAgents, makeFriends, newMessage } from '../scenarios/agents.ts';
import { acknowledge, insertBacklog, openSocket } from '../scenarios/event-sockets.ts';
import { send } from '../scenarios/send.ts';

const echoServer = fileURLToPath(import.meta.resolve('../bare/echo-server.ts'));

/** The event stream: how soon an event arrives, how a backlog drains. */
export const events: Measure = {
  name: 'events',
  title: 'from sending a message to the frame at its recipient, one at a time; draining a backlog with acks',
  baseline: 'a commit of the same ciphertext, then an echo of a bare WebSocket server; for the backlog a shorter one',
  leavesOut: 'HTTP, the token, all that a message needs beside one insert',
  take: async (run) => {
    const server = await startServer(run);
    const bare = await startProcess(run, echoServer, {});
    const database = new Client({ connectionString: server.databaseUrl });
    await database.connect();
    const taking = { run, server, bare, database };
    try {
      return [...(await takeTimes(taking)), ...(await takeBacklogs(taking))];
    } finally {
      await database.end();
    }
  },
};

interface Taking {
  readonly run: Run;
  readonly server: ServerProcess;
  readonly bare: ServerProcess;
  readonly database: Client;
}

async function takeTimes({ run, server, bare, database }: Taking): Promise<readonly Figure[]> {
  const [friends] = await makeFriends(server.url, 1);
  if (friends === undefined) throw new Error('No agents were made.');
  const { sender, recipient } = friends;
  const socket = await openSocket(server.url, recipient.token);
  const echo = await openSocket(bare.url);
  await database.query('create table commits (id uuid primary key, content text)');
  const ciphertext = randomBytes(1_024).toString('base64');
  let arrived = (_frame: string): void => undefined;
  acknowledge(socket, (_type, frame) => arrived(frame));
  const whole = () =>
    timed(async () => {
      const { promise: arrival, resolve } = Promise.withResolvers<void>();
      const message = newMessage(friends, ciphertext);
      arrived = (frame) => {
        if (frame.includes(message.client_message_id)) resolve();
      };
      await send(server.url, '/api/v1/messages', sender.token, message);
      await arrival;
    });
  const least = () =>
    timed(async () => {
      await database.query('insert into commits values ($1, $2)', [randomUUID(), ciphertext]);
      const answer = new Promise((resolve) => echo.once('message', resolve));
      echo.send(ciphertext);
      await answer;
    });
  await takeRounds(run.quick ? 5 : 50, { least, whole });
  const count = run.quick ? 10 : 1_000;
  const readUs = () => [server, bare].map(({ pid }) => (readProcessorMs([pid]) * 1_000) / count);
  const before = readUs();
  const rounds = await takeRounds(count, { least, whole });
  const [serverUs = Number.NaN, echoUs = Number.NaN] = readUs().map((us, index) => us - (before[index] ?? 0));
  socket.terminate();
  echo.terminate();
  const [wholes, leasts] = [rounds.map((round) => round.whole), rounds.map((round) => round.least)];
  const [wholeP99, leastP99] = [percentile(wholes, 99), percentile(leasts, 99)];
  const ratio = wholeP99 / leastP99;
  return [
    { name: 'p99 from sending to the frame, by one commit and an echo', value: ratio, unit: '', target: { below: 3 } },
    { name: 'the same of the medians', value: median(wholes) / median(leasts), unit: '' },
    { name: 'sending to frame, p50', value: median(wholes), unit: 'ms' },
    { name: 'sending to frame, p99', value: wholeP99, unit: 'ms' },
    { name: 'commit and echo, p50', value: median(leasts), unit: 'ms' },
    { name: 'commit and echo, p99', value: leastP99, unit: 'ms' },
    { name: 'sending to frame, processor of server', value: serverUs, unit: 'µs' },
    { name: 'echo, processor of server', value: echoUs, unit: 'µs' },
    // Not a number where the system does not tell it, and nothing where it is less than a tick.
  ].filter(({ value }) => value > 0);
}

/** Drains a backlog with an ack for every event, and tells when each answer arrived, in ms from the start. */
async function drain(url: string, token: string, count: number): Promise<readonly number[]> {
  const startedMs = performance.now();
  const socket = await openSocket(url, token);
  const acked: number[] = [];
  await new Promise<void>((resolve) => {
    acknowledge(socket, (type) => {
      if (type !== 'event' && acked.push(performance.now() - startedMs) === count) resolve();
    });
  });
  socket.terminate();
  return acked;
}

async function takeBacklogs({ run, server: { url }, database }: Taking): Promise<readonly Figure[]> {
  const [short, long] = run.quick ? [100, 500] : [2_000, 20_000];
  const part = short / 2;
  const agents = await insertAgents(database, 'drained_', run.quick ? 3 : 7);
  const drainNext = async (count: number) => {
    const agent = agents[drained++];
    if (agent === undefined) throw new Error('Every agent is drained.');
    await insertBacklog(database, agent.id, count);
    return await drain(url, agent.token, count);
  };
  let drained = 0;
  await drainNext(short);
  const backlogs = await takeRounds(run.quick ? 1 : 3, { few: () => drainNext(short), many: () => drainNext(long) });
  const endOf = (times: readonly number[], index: number) => times.at(index) ?? Number.NaN;
  return toFigures(backlogs, [
    [
      `cost of an event, the last ${part} of ${long} by the first ${part}`,
      ({ many }) => (endOf(many, -1) - endOf(many, -part - 1)) / endOf(many, part - 1),
      '',
      { below: 1.5 },
    ],
    [
      `cost of an event, a backlog of ${long} by one of ${short}`,
      ({ few, many }) => endOf(many, -1) / long / (endOf(few, -1) / short),
      '',
      { below: 1.5 },
    ],
    [`draining ${long}`, ({ many }) => (long / endOf(many, -1)) * 1_000, 'events/s'],
  ]);
}
