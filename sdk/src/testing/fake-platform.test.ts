import { describe, expect, it } from 'vitest';
import { failureOf } from '../../testing/records.ts';
import { AgentPlatform, memoryCredentials, type Offer, type PlatformEvent, seal, unfenced } from '../index.ts';
import { buildEvent } from './build-event.ts';
import { FakePlatform } from './fake-platform.ts';

const hourMs = 3_600_000;

async function friends(platform = new FakePlatform()) {
  const alice = await platform.agent('alice', { creditsMinor: 10_000 });
  const bob = await platform.agent('bob');
  await platform.befriend(alice, bob);
  return { platform, alice, bob };
}

async function offerTo(agent: AgentPlatform, platform: FakePlatform): Promise<Offer> {
  return {
    contractor_id: (await agent.bots.me()).id,
    title: 'A thumbnail',
    deadline: new Date(platform.clock.now() + hourMs).toISOString(),
    amount_minor: 1_000,
    confirmed_total_minor: 1_100,
  };
}

async function receive(agent: AgentPlatform, count: number): Promise<readonly PlatformEvent[]> {
  const events: PlatformEvent[] = [];
  for await (const event of agent.events.listen()) {
    events.push(event);
    await event.done();
    if (events.length === count) break;
  }
  return events;
}

describe('two agents on a fake platform', () => {
  it('exchange messages, and each opens those of the other', async () => {
    const { alice, bob } = await friends();

    await alice.messages.send('bob', 'Hello, Bob');

    const [requested, created] = await receive(bob, 2);
    expect([requested?.kind, created?.kind]).toEqual(['contact.requested', 'message.created']);
    const { messages } = await bob.messages.list('alice');
    expect(messages.map(({ text }) => text !== null && unfenced(text))).toEqual(['Hello, Bob']);
  });

  it('complete an order, and the credits are paid', async () => {
    const { platform, alice, bob } = await friends();
    const offered = await alice.orders.create(await offerTo(bob, platform));
    const started = await bob.orders.start(await bob.orders.accept(offered));
    const delivered = await bob.orders.deliver(started, { result_text: 'Done.' });

    const { outcome } = await alice.orders.complete(delivered);

    expect(outcome).toBe('accepted');
    expect((await alice.wallet.get()).available_minor).toBe(8_900);
    expect((await bob.wallet.get()).available_minor).toBe(1_000);
  });

  it('exchange files of an order', async () => {
    const { platform, alice, bob } = await friends();
    const pdf = new TextEncoder().encode('%PDF-1.7\n1 0 obj << /Type /Page >> endobj\n');
    const { id } = await alice.attachments.upload(pdf, { purpose: 'order', filename: 'brief.pdf' });
    await alice.orders.create({ ...(await offerTo(bob, platform)), input_attachment_ids: [id] });

    const file = await bob.attachments.download(id);

    expect(Buffer.from(await file.bytes()).toString()).toContain('%PDF-1.7');
  });
});

describe('a fault', () => {
  it('loses a response, and the order is still created only once', async () => {
    const { platform, alice, bob } = await friends();
    platform.faults.loseAnswer('createOrder');

    const { state } = await alice.orders.create(await offerTo(bob, platform));

    expect(state).toBe('offered');
    expect((await alice.orders.list()).orders).toHaveLength(1);
    expect(platform.requests.filter(({ operationId }) => operationId === 'createOrder')).toMatchObject([
      { handle: 'alice', status: 201 },
      { handle: 'alice', status: 200 },
    ]);
  });

  it('loses the response to a request that must not be repeated', async () => {
    const platform = new FakePlatform();
    const alice = await platform.agent('alice');
    platform.faults.loseAnswer('createPost');

    expect(await failureOf(alice.posts.create({ text: 'x' }))).toMatchObject({ code: 'outcome_unknown' });
    expect((await alice.posts.list()).posts).toHaveLength(1);
  });

  it('loses a request, which then has no effect', async () => {
    const platform = new FakePlatform();
    const alice = await platform.agent('alice', { maxRetries: 0 });
    platform.faults.loseRequest('createPost');

    expect(await failureOf(alice.posts.create({ text: 'x' }))).toMatchObject({ code: 'connection_failed' });
    expect((await alice.posts.list()).posts).toEqual([]);
  });

  it('refuses requests with a delay, which takes no real time', async () => {
    const { platform, alice } = await friends();
    platform.faults.refuse('sendMessage', 'rate_limited', { retryAfterSeconds: 20, times: 2 });
    const startedMs = performance.now();

    await alice.messages.send('bob', 'Hello');

    expect(performance.now() - startedMs).toBeLessThan(20_000);
    expect(
      platform.requests.filter(({ operationId }) => operationId === 'sendMessage').map(({ code }) => code),
    ).toEqual(['rate_limited', 'rate_limited', null]);
  });

  it('is refused if the operation or the code is misspelt', () => {
    const { faults } = new FakePlatform();

    expect(() => faults.loseAnswer('createOrders')).toThrow('There is no operation "createOrders"');
    // @ts-expect-error no code of the API
    expect(() => faults.refuse('createOrder', 'rate_limit')).toThrow('not a code');
  });

  it('changes the key of a friend, which is then not trusted', async () => {
    const { platform, alice } = await friends();
    await alice.messages.send('bob', 'Hello');
    platform.faults.changeKey('bob');

    expect(await failureOf(alice.messages.send('bob', 'Again'))).toMatchObject({ code: 'friend_key_changed' });
  });

  it('repeats events, and the client handles each once', async () => {
    const { platform, alice, bob } = await friends();
    await alice.messages.send('bob', 'Hello');
    const handled: string[] = [];
    const ending = new AbortController();
    bob.events.on('message.created', async () => {
      handled.push('message.created');
      if (handled.length === 1) platform.faults.repeatEvents('bob');
      else ending.abort();
    });
    const running = bob.events.run({ signal: ending.signal });
    await expect.poll(() => handled).toHaveLength(1);

    await alice.messages.send('bob', 'Once more');

    await running;
    expect(handled).toHaveLength(2);
  });

  it('breaks the stream, and the client reconnects and receives the missed events', async () => {
    const { platform, alice, bob } = await friends();
    const receiving = receive(bob, 3);
    await expect.poll(async () => (await bob.events.list('finished')).length).toBe(1);

    platform.faults.dropStreams('bob');
    await alice.messages.send('bob', 'Missed?');
    platform.faults.dropStreams(undefined, 1013);
    await alice.messages.send('bob', 'And now?');

    expect((await receiving).map(({ kind }) => kind)).toEqual([
      'contact.requested',
      'message.created',
      'message.created',
    ]);
  });
});

describe('the clock', () => {
  it('starts at the given time and can be advanced', async () => {
    const platform = new FakePlatform({ startsAt: new Date('2030-01-01T00:00:00Z') });
    const alice = await platform.agent('alice');
    expect((await alice.bots.me()).created_at).toMatch(/^2030-01-01T00:00:/);

    platform.clock.advance(31 * 86_400_000);

    expect(await failureOf(alice.bots.me())).toMatchObject({ code: 'unauthorized' });
    expect(() => platform.clock.advance(-1)).toThrow('at least 0');
  });

  it('can pass the deadline of an offer', async () => {
    const { platform, alice, bob } = await friends();
    const offered = await alice.orders.create(await offerTo(bob, platform));

    platform.clock.advance(hourMs);

    expect(await failureOf(bob.orders.accept(offered))).toMatchObject({ code: 'deadline_passed' });
  });

  it('ends the stream of a token that has expired', async () => {
    const platform = new FakePlatform();
    const { promise: opened, resolve: onStream } = Promise.withResolvers<unknown>();
    const bob = await platform.agent('bob', { hooks: { onStream } });
    const running = failureOf(bob.events.run());
    await opened;

    platform.clock.advance(31 * 86_400_000);

    expect(await running).toMatchObject({ code: 'stream_unauthorized' });
  });
});

it('an agent can run for months: its token is rotated before it expires', async () => {
  const { platform, alice, bob } = await friends();
  const handled: string[] = [];
  const ending = new AbortController();
  bob.events.on('order.changed', ({ payload }) => void handled.push(payload.status));
  const running = bob.events.run({ signal: ending.signal });
  const rotations = () => platform.requests.filter(({ operationId }) => operationId === 'rotateToken').length;

  for (const month of [1, 2, 3]) {
    platform.clock.advance(25 * 86_400_000);
    await expect.poll(rotations).toBe(month);
  }
  platform.deliver('bob', buildEvent('order.changed', { status: 'delivered' }));

  await expect.poll(() => handled).toEqual(['delivered']);
  ending.abort();
  await running;
  expect(await failureOf(alice.bots.me())).toMatchObject({ code: 'unauthorized' });
});

describe('the operator', () => {
  it('suspends an agent', async () => {
    const { platform, bob } = await friends();

    platform.suspend('bob');

    expect(await failureOf(bob.bots.me())).toMatchObject({ code: 'forbidden', status: 403 });
    expect(() => platform.suspend('nobody')).toThrow('There is no agent "nobody"');
  });

  it('delivers an event that a test built', async () => {
    const platform = new FakePlatform();
    const bob = await platform.agent('bob');
    const event = buildEvent('order.changed', { status: 'delivered', version: 4 });

    platform.deliver('bob', event);

    expect(await receive(bob, 1)).toMatchObject([event]);
  });
});

describe('an event that is built', () => {
  it('has the payload of its kind, with the given members', () => {
    expect(buildEvent('contact.requested', { peer: { handle: 'bob' } })).toMatchObject({
      kind: 'contact.requested',
      payload: { status: 'incoming', peer: { handle: 'bob', display_name: 'bob' } },
    });
    expect(buildEvent('message.created').payload.encryption_version).toBe('box-v1');
  });

  it('may contain a message that the client under test can open', async () => {
    const platform = new FakePlatform();
    const credentials = memoryCredentials();
    const { bob } = await friends(platform);
    const carol = await platform.agent('carol', { credentials });
    await platform.befriend(carol, bob);
    const mine = await credentials.load();
    const friend = await bob.bots.me();
    if (mine === undefined) throw new Error('Carol has no credential.');
    const keyPair = { publicKey: mine.encryption_public_key, secretKey: mine.encryption_secret_key };
    const envelope = seal({ text: 'Hi', recipientPublicKey: friend.encryption_public_key, keyPair });

    const { payload } = buildEvent('message.created', { ...envelope, sender_id: mine.bot_id, recipient_id: friend.id });

    const { text } = await bob.messages.open(payload);
    expect(text === null ? null : unfenced(text)).toBe('Hi');
  });
});

it('a fake platform answers requests that are sent without the SDK', async () => {
  const { fetch } = new FakePlatform();

  const response = await fetch('https://platform.test/api/v1/wallet');

  expect([response.status, await response.json()]).toMatchObject([401, { error: { code: 'unauthorized' } }]);
  expect(response.headers.get('request-id')).toMatch(/^[0-9a-f-]{36}$/);
});

it('a fake platform connects a client with any options', async () => {
  const platform = new FakePlatform({ baseUrl: 'https://platform.test/prefix' });
  const client = new AgentPlatform({ ...platform.options, timeoutMs: 1_000 });

  expect(await client.health.ready()).toEqual({ status: 'ok' });
});
