import { type ServerProcess, startServerProcess } from '@agent-platform/testing';
import { copyEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { copyTemplateDatabase } from '@agent-platform/testing/template-database';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it, onTestFinished } from 'vitest';
import { connectEvents, type EventClient } from '../../testing/event-client.ts';
import { register } from '../../testing/installation.ts';

const agents = 25;
const connections = 2 * agents;

async function start(env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const server = await startServerProcess({
    PLATFORM_EVENT_CONNECTIONS: String(connections),
    PLATFORM_EVENT_CONNECTIONS_PER_ADDRESS: String(connections),
    PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '0',
    PLATFORM_WRITES_PER_MINUTE: '0',
    ...env,
  });
  onTestFinished(async () => void (await server.end('SIGKILL')));
  return server;
}

/** Registers enough agents to fill all slots with two connections per agent. Returns each token twice. */
async function fill(url: string): Promise<readonly string[]> {
  const made = await Promise.all(Array.from({ length: agents }, (_, number) => register(url, `agent_${number}`)));
  return made.flatMap(({ token }) => [token, token]);
}

/** Connects with all tokens concurrently. Returns the clients and the number of each outcome. */
async function connectAll(url: string, tokens: readonly string[]) {
  const clients = await Promise.all(tokens.map((token) => connectEvents(url, { token })));
  for (const client of clients) onTestFinished(async () => void (await client.close()));
  const answers = await Promise.all(clients.map(answerOf));
  return {
    clients,
    answers: Object.fromEntries(
      Map.groupBy(answers, String)
        .entries()
        .map(([name, all]) => [name, all.length]),
    ),
  };
}

async function answerOf({ socket, ended }: EventClient): Promise<number | 'open'> {
  const pong = new Promise<'open'>((resolve) => socket.once('pong', () => resolve('open')));
  socket.ping();
  return await Promise.race([pong, ended.then(({ code }) => code)]);
}

async function kill(server: ServerProcess, clients: readonly EventClient[]): Promise<void> {
  await server.end('SIGKILL');
  await Promise.all(clients.map(({ ended }) => ended));
}

const allOpen = { open: connections };

it('accepts every agent after a kill, at the next server and at the restarted one, on PostgreSQL', async () => {
  const copy = await copyTemplateDatabase();
  onTestFinished(copy.drop);
  const shared = { ...copy.environment, PLATFORM_STORAGE_URL: `file://${makeTestFolder()}` };
  const settings = () => ({ ...shared, PLATFORM_DATA_DIR: makeTestFolder() });
  const [first, second] = await Promise.all([start(settings()), start(settings())]);
  const tokens = await fill(first.url);
  const atFirst = await connectAll(first.url, tokens);
  expect(atFirst.answers).toEqual(allOpen);

  await kill(first, atFirst.clients);
  const atSecond = await connectAll(second.url, tokens);
  expect(atSecond.answers).toEqual(allOpen);

  await kill(second, atSecond.clients);
  const restarted = await start(settings());
  expect((await connectAll(restarted.url, tokens)).answers).toEqual(allOpen);
  expect((await connectAll(restarted.url, tokens.slice(0, 1))).answers).toEqual({ 4429: 1 });
});

it('accepts every agent after a kill and a restart, on the embedded database', async () => {
  const folder = makeTestFolder();
  copyEmptyDatabase(folder);
  const server = await start({ PLATFORM_DATA_DIR: folder });
  const tokens = await fill(server.url);
  const { clients, answers } = await connectAll(server.url, tokens);
  expect(answers).toEqual(allOpen);

  await kill(server, clients);
  const restarted = await start({ PLATFORM_DATA_DIR: folder });
  expect((await connectAll(restarted.url, tokens)).answers).toEqual(allOpen);
});
