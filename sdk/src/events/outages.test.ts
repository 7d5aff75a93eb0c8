import { expect, it, onTestFinished, vi } from 'vitest';
import { AgentPlatform } from '../agent-platform.ts';
import { memoryCredentials } from '../credentials/credential-store.ts';
import type { AgentPlatformOptions } from '../options.ts';
import { FakePlatform } from '../testing/fake-platform.ts';
import type { Fetch } from '../transport/call-options.ts';
import type { HandlerFailure } from '../transport/hooks.ts';
import { unfenced } from '../untrusted.ts';

/** Creates Alice and Bob. Bob's calls are not retried, and his handler failures are recorded. */
async function friends(options: Partial<AgentPlatformOptions> = {}) {
  const platform = new FakePlatform();
  const failures: HandlerFailure[] = [];
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const alice = await platform.agent('alice');
  const hooks = { onHandlerFailure: (failure: HandlerFailure) => failures.push(failure), ...options.hooks };
  const bob = await platform.agent('bob', { maxRetries: 0, ...options, hooks });
  await platform.befriend(alice, bob);
  return { platform, alice, bob, failures, ending };
}

it('an event that fails in an outage is not parked, is reported once, and is due when the stream reopens', async () => {
  const { platform, alice, bob, failures, ending } = await friends();
  const attempts: number[] = [];
  bob.events.on('message.created', async ({ event_id, payload }, { attempt }) => {
    attempts.push(attempt);
    await bob.messages.send(payload.sender_id, 'Hello, Alice', { clientMessageId: event_id });
  });
  await alice.messages.send('bob', 'Hello, Bob');
  platform.faults.loseRequest('sendMessage', 2);
  const before = platform.requests.length;
  const running = bob.events.run({ signal: ending.signal, attemptsMax: 1 });
  await vi.waitUntil(() => attempts.length === 1, 120_000);
  await vi.waitUntil(async () => (await bob.events.list('waiting')).length === 1, 120_000);
  expect(await bob.events.list('waiting')).toMatchObject([
    { attempts: 0, reason: expect.stringMatching(/^The server is not available: The message/) },
  ]);
  platform.clock.advance(1_000);
  await vi.waitUntil(() => attempts.length === 2, 120_000);
  await vi.waitUntil(async () => (await bob.events.list('waiting')).length === 1, 120_000);

  platform.faults.dropStreams('bob');
  await vi.waitUntil(async () => (await bob.events.list('finished')).length === 2, 120_000);

  ending.abort();
  await running;
  expect(attempts).toEqual([1, 1, 1]);
  expect(failures).toMatchObject([{ source: 'event', attempt: 1, isOutage: true, waitMs: expect.any(Number) }]);
  // The outbox sends the pending message (201). The handler sends it again (409), and the client finds the earlier one.
  const sent = platform.requests.slice(before).filter(({ operationId }) => operationId === 'sendMessage');
  expect(sent.map(({ status }) => status)).toEqual([201, 409]);
  const { messages } = await alice.messages.list('bob');
  expect(messages.map(({ text }) => text !== null && unfenced(text))).toEqual(['Hello, Alice', 'Hello, Bob']);
});

it('the outbox is sent when the stream opens; an event that failed for another reason keeps waiting', async () => {
  let opened = 0;
  const onStream = ({ state }: { state: string }) => {
    if (state === 'open') opened += 1;
  };
  const { platform, alice, bob, failures, ending } = await friends({ hooks: { onStream } });
  bob.events.on('contact.requested', () => {
    throw new TypeError('A defect.');
  });
  const running = bob.events.run({ signal: ending.signal });
  await vi.waitUntil(() => failures.length === 1, 120_000);
  platform.faults.loseRequest('sendMessage');
  await bob.messages.send('alice', 'Hello').catch(() => undefined);
  expect(await bob.messages.pending()).toHaveLength(1);

  platform.faults.dropStreams('bob');
  await vi.waitUntil(async () => (await alice.messages.list('bob')).messages.length === 1, 120_000);

  ending.abort();
  await running;
  expect(opened).toBe(2);
  expect(await bob.messages.pending()).toEqual([]);
  expect(failures).toMatchObject([{ attempt: 1, isOutage: false }]);
});

it('after the stream has opened, no handler is called until the outbox has been sent', async () => {
  const platform = new FakePlatform();
  const steps: string[] = [];
  const gate = Promise.withResolvers<void>();
  let isHeld = false;
  const fetch: Fetch = async (url, init) => {
    if (!isHeld || init.method !== 'POST') return await platform.options.fetch(url, init);
    steps.push('sending');
    await gate.promise;
    return await platform.options.fetch(url, init);
  };
  const credentials = memoryCredentials();
  const bob = new AgentPlatform({ ...platform.options, credentials, fetch, maxRetries: 0 });
  await bob.register({ handle: 'bob', display_name: 'Bob' });
  const alice = await platform.agent('alice');
  await platform.befriend(alice, bob);
  platform.faults.loseRequest('sendMessage');
  await bob.messages.send('alice', 'Hello').catch(() => undefined);
  isHeld = true;
  const ending = new AbortController();
  bob.events.on('contact.requested', () => {
    steps.push('handled');
    ending.abort();
  });

  const running = bob.events.run({ signal: ending.signal });
  await vi.waitUntil(async () => (await bob.events.list('waiting')).length === 1, 120_000);
  await vi.waitUntil(() => steps.length > 0, 120_000);
  expect(steps).toEqual(['sending']);
  gate.resolve();
  await running;

  expect(steps).toEqual(['sending', 'handled']);
});
