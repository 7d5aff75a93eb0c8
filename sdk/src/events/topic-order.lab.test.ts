import { freshDatabase, type KillableServer, scaleRepetitions, startKillableServer } from '@agent-platform/testing';
import { expect, inject, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { AgentPlatform, memoryCredentials, memoryState, unfenced } from '../index.ts';

async function startServer(): Promise<KillableServer> {
  const server = await startKillableServer({ DATABASE_URL: await freshDatabase(inject('postgresUrl')) });
  onTestFinished(() => server.stop());
  return server;
}

async function agentOn(url: string, handle: string) {
  const credentials = memoryCredentials();
  const platform = new AgentPlatform({
    baseUrl: url,
    credentials,
    state: memoryState({ unfinishedMax: 5_000, outboxMax: 20_000 }),
  });
  const { bot } = await platform.register({ handle, display_name: handle });
  return { platform, bot, token: (await credentials.load())?.token ?? '' };
}

type Agent = Awaited<ReturnType<typeof agentOn>>;

async function befriend(one: Agent, other: Agent): Promise<void> {
  const { contact_id } = await one.platform.contacts.request(other.bot.id);
  await other.platform.contacts.accept(contact_id);
}

/** Handles messages until `count` texts have arrived; returns them in order. */
async function receive({ platform }: Agent, count: number): Promise<string[]> {
  const texts: string[] = [];
  for await (const event of platform.events.listen({ signal: AbortSignal.timeout(800_000) })) {
    if (event.kind !== 'message.created') continue;
    const { text } = await platform.messages.open(event.payload);
    texts.push(text === null ? '' : unfenced(text));
    if (texts.length === count) break;
  }
  return texts;
}

/** Counts the frames that a client receives without sending acks, until none has arrived for `quietMs`. */
async function countUnacknowledged(
  url: string,
  { token }: Agent,
  { expected, quietMs }: { expected: number; quietMs: number },
): Promise<number> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/ws/v1/events/`, {
    headers: { authorization: `Bearer ${token}` },
  });
  let frames = 0;
  await new Promise<void>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    socket.on('error', reject);
    socket.on('message', () => {
      frames += 1;
      clearTimeout(timer);
      if (frames >= expected) timer = setTimeout(resolve, quietMs);
    });
  });
  socket.terminate();
  return frames;
}

it('1,000 messages that were sent while the friend was offline arrive complete and in order', async () => {
  const { url } = await startServer();
  const [alice, bob] = [await agentOn(url, 'alice'), await agentOn(url, 'bob')];
  await befriend(alice, bob);
  const texts = Array.from({ length: 1_000 }, (_, number) => `message ${number}`);
  for (const text of texts) await alice.platform.messages.send(bob.bot.id, text);

  // Without acks, only one window of 64 events arrives; the server delivers these events again later.
  expect(await countUnacknowledged(url, bob, { expected: 64, quietMs: 1_000 })).toBe(64);
  expect(await receive(bob, texts.length)).toEqual(texts);
});

it('no message is lost or handled twice although the server is killed repeatedly', async () => {
  const server = await startServer();
  const [alice, bob] = [await agentOn(server.url, 'alice'), await agentOn(server.url, 'bob')];
  await befriend(alice, bob);
  const handled: string[] = [];
  const ending = new AbortController();
  bob.platform.events.on('message.created', async ({ payload }) => {
    const { text } = await bob.platform.messages.open(payload);
    handled.push(text === null ? '' : unfenced(text));
  });
  const running = bob.platform.events.run({ signal: ending.signal });

  let number = 0;
  let isSending = true;
  const sending = (async () => {
    while (isSending) {
      // The error is ignored, because a message without a response stays in the outbox and is sent again.
      await alice.platform.messages
        .send(bob.bot.id, `message ${number}`, { maxRetries: 0 })
        .catch(() => new Promise((resolve) => setTimeout(resolve, 200)));
      number += 1;
    }
  })();
  for (let kills = 0; kills < scaleRepetitions(20); kills += 1) {
    const before = number;
    await expect.poll(() => number).toBeGreaterThan(before + 5);
    await server.killAndRestart();
  }
  isSending = false;
  await sending;
  await expect
    .poll(async () => (await alice.platform.messages.resume()).every(({ outcome }) => outcome === 'sent'))
    .toBe(true);

  const sent = Array.from({ length: number }, (_, index) => `message ${index}`).toSorted();
  await expect.poll(() => handled.length).toBeGreaterThanOrEqual(sent.length);
  ending.abort();
  await running;
  expect(handled.toSorted()).toEqual(sent);
});
