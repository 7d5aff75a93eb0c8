import { setTimeout as delay } from 'node:timers/promises';
import { expect, expectTypeOf, it, vi } from 'vitest';
import { failureOf } from '../../testing/records.ts';
import type { AgentPlatform } from '../agent-platform.ts';
import { buildEvent } from '../testing/build-event.ts';
import { FakePlatform } from '../testing/fake-platform.ts';
import type { HandlerFailure } from '../transport/hooks.ts';
import { type Untrusted, unfenced } from '../untrusted.ts';
import type { AgentRunOptions } from './run-agent.ts';

/** Alice, who sends messages, and Bob, whose handlers are tested. */
async function friends() {
  const platform = new FakePlatform();
  const failures: HandlerFailure[] = [];
  const alice = await platform.agent('alice', { creditsMinor: 10_000 });
  const bob = await platform.agent('bob', { hooks: { onHandlerFailure: (failure) => failures.push(failure) } });
  await platform.befriend(alice, bob);
  return { platform, alice, bob, failures };
}

async function runUntil(
  agent: AgentPlatform,
  condition: () => boolean | Promise<boolean>,
  options: AgentRunOptions = {},
): Promise<void> {
  const ending = new AbortController();
  const running = agent.run({ ...options, signal: ending.signal });
  await Promise.race([running, vi.waitUntil(condition, { timeout: 20_000 })]).finally(() => ending.abort());
  await running;
}

async function textsOf(agent: AgentPlatform, friend: string): Promise<readonly string[]> {
  const items = await agent.messages.list(friend).toArray({ limit: 100 });
  return items
    .filter(({ direction }) => direction === 'received')
    .map(({ text }) => unfenced(text ?? ''))
    .reverse();
}

const texts = (message: { readonly text: Untrusted | null }) => unfenced(message.text ?? '');

it('a message handler gets text, sender, handle and event, and two replies are two messages', async () => {
  const { alice, bob } = await friends();
  const { id } = await alice.bots.me();
  await alice.messages.send('bob', 'Hello');
  const seen: object[] = [];
  bob.onMessage(async (message) => {
    const { text, senderId, handle, eventId, attempt } = message;
    seen.push({ text, senderId, handle, hasEventId: eventId.length === 36, attempt });
    await Promise.all([message.reply('one'), message.reply('two')]);
  });

  await runUntil(bob, async () => (await textsOf(alice, 'bob')).length === 2);

  expect(seen).toEqual([{ text: 'Hello', senderId: id, handle: 'alice', hasEventId: true, attempt: 1 }]);
  expect((await textsOf(alice, 'bob')).toSorted()).toEqual(['one', 'two']);
});

it('a handler that is called again sends no reply twice, and each reply keeps its first text', async () => {
  const { alice, bob, failures } = await friends();
  await alice.messages.send('bob', 'Hello');
  bob.onMessage(async (message) => {
    await message.reply(`one, attempt ${message.attempt}`);
    if (message.attempt === 1) throw new Error('fails between its replies');
    await message.reply(`two, attempt ${message.attempt}`);
  });

  await runUntil(bob, async () => (await textsOf(alice, 'bob')).length === 2);

  expect(await textsOf(alice, 'bob')).toEqual(['one, attempt 1', 'two, attempt 2']);
  expect(failures).toMatchObject([{ attempt: 1, isFinal: false }]);
});

it('of several handlers the first whose filter matches is called, and its next calls the next match', async () => {
  const { alice, bob } = await friends();
  for (const text of ['help', 'help me', 'other', 'last']) await alice.messages.send('bob', text);
  const calls: string[] = [];
  bob.onMessage({ text: 'help' }, (message) => calls.push(`help: ${texts(message)}`));
  bob.onMessage({ text: /^help/g, handle: 'alice' }, async (message, next) => {
    calls.push(`first: ${texts(message)}`);
    await next();
  });
  bob.onMessage({ handle: 'carol' }, () => calls.push('of carol'));
  bob.onMessage(
    async (message) => texts(message) !== 'other',
    (message) => calls.push(`rest: ${texts(message)}`),
  );

  await runUntil(bob, () => calls.includes('rest: last'));

  expect(calls).toEqual(['help: help', 'first: help me', 'rest: help me', 'rest: last']);
});

it('the type of a text is not null in a handler with a text filter', async () => {
  const { bob } = await friends();
  bob.onMessage({ text: /./ }, ({ text }) => expectTypeOf(text).toEqualTypeOf<Untrusted>());
  bob.onMessage({ handle: 'bob' }, ({ text }) => expectTypeOf(text).toEqualTypeOf<Untrusted | null>());
});

it('a wrong filter or handler is refused, and the error suggests the nearest name', async () => {
  const { bob } = await friends();
  const wrongField = { texts: 'help' } as object;

  expect(() => bob.onMessage(wrongField, () => undefined)).toThrow('Did you mean "text"?');
  expect(() => bob.onMessage('help' as never)).toThrow('onMessage() needs a handler');
  expect(await failureOf(bob.run({ acept: 'all' } as object))).toMatchObject({ code: 'invalid_option' });
});

it('middlewares wrap the handlers, the first outermost, and one that does not call next skips them', async () => {
  const { alice, bob } = await friends();
  for (const text of ['one', 'spam', 'two']) await alice.messages.send('bob', text);
  const calls: string[] = [];
  bob.use(async (arrival, next) => {
    if (arrival.kind !== 'message') return await next();
    calls.push(`> ${texts(arrival)}`);
    await next();
    calls.push(`< ${texts(arrival)}`);
  });
  bob.use(async (arrival, next) => {
    if (arrival.kind !== 'message' || texts(arrival) !== 'spam') await next();
  });
  bob.onMessage((message) => calls.push(texts(message)));

  await runUntil(bob, () => calls.includes('< two'));

  expect(calls).toEqual(['> one', 'one', '< one', '> spam', '< spam', '> two', 'two', '< two']);
});

it('error middlewares handle an error or pass it on to the retry rule', async () => {
  const { alice, bob, failures } = await friends();
  for (const text of ['ignored', 'repeated']) await alice.messages.send('bob', text);
  const calls: string[] = [];
  bob.onError(async (error, arrival, next) => {
    calls.push(`${arrival.kind}: ${String(error)}`);
    await next();
  });
  bob.onError(async (error, _, next) => {
    if (String(error) !== 'Error: ignored') await next();
  });
  bob.onMessage((message) => {
    if (message.attempt > 1) calls.push('again');
    else throw new Error(texts(message));
  });

  await runUntil(bob, () => calls.includes('again'));

  expect(calls).toEqual(['message: Error: ignored', 'message: Error: repeated', 'again']);
  expect(failures).toMatchObject([{ error: { message: 'repeated' } }]);
});

it('a reply to a friend who has blocked the agent finishes the event, and is reported', async () => {
  const { alice, bob, failures } = await friends();
  await alice.messages.send('bob', 'Hello');
  bob.onMessage(async (message) => {
    const [contact] = (await alice.contacts.list()).contacts;
    await alice.contacts.block(contact?.contact_id ?? '');
    await message.reply('Hello?');
  });

  await runUntil(bob, () => failures.length > 0);

  expect(failures).toMatchObject([
    { kind: 'message.created', waitMs: null, isFinal: true, error: { code: 'contact_not_accepted' } },
  ]);
  expect(await bob.events.list('failed')).toEqual([]);
  expect((await bob.events.list('finished')).map(({ event }) => event.kind)).toContain('message.created');
});

it('a message that cannot be opened is finished and reported, and no handler is called', async () => {
  const { platform, bob, failures } = await friends();
  platform.deliver('bob', buildEvent('message.created'));
  const seen: unknown[] = [];
  bob.onMessage((message) => seen.push(message));

  await runUntil(bob, () => failures.length > 0 || seen.length > 0);

  expect(failures).toMatchObject([{ isFinal: true }]);
  expect(seen).toEqual([]);
});

it.each<[string, AgentRunOptions['accept'], string[]]>([
  ['all', 'all', ['alice', 'carol']],
  ['those that a rule selects', async ({ peer }) => peer.handle === 'carol', ['carol']],
  ['no agent without a rule', undefined, []],
])('a run accepts %s', async (_, accept, expected) => {
  const platform = new FakePlatform();
  const [bob, ...others] = await Promise.all(['bob', 'alice', 'carol'].map((handle) => platform.agent(handle)));
  if (bob === undefined) throw new Error('There is no Bob.');
  const { id } = await bob.bots.me();
  for (const one of others) await one.contacts.request(id);
  const finished = async () => (await bob.events.list('finished')).length === 2;

  await runUntil(bob, finished, { accept });

  const contacts = await bob.contacts.list().toArray({ limit: 10 });
  expect(
    contacts
      .filter(({ status }) => status === 'friends')
      .map(({ peer }) => peer.handle)
      .toSorted(),
  ).toEqual(expected);
});

it('the accept rule of a run does not apply to a later run', async () => {
  const platform = new FakePlatform();
  const [bob, alice] = [await platform.agent('bob'), await platform.agent('alice')];
  await runUntil(bob, () => true, { accept: 'all' });
  await alice.contacts.request((await bob.bots.me()).id);

  await runUntil(bob, async () => (await bob.events.list('finished')).length === 1);

  expect((await bob.contacts.list()).contacts).toMatchObject([{ status: 'incoming' }]);
});

it('a contact request that has a handler is not decided by the rule of the run', async () => {
  const platform = new FakePlatform();
  const [alice, bob] = [await platform.agent('alice'), await platform.agent('bob')];
  await alice.contacts.request((await bob.bots.me()).id);
  const handles: string[] = [];
  bob.onContactRequest({ handle: 'alice' }, async ({ handle, accept }) => {
    handles.push(`${handle} ${(await accept()).status}`);
  });

  await runUntil(bob, () => handles.length > 0, { accept: () => expect.unreachable() });

  expect(handles).toEqual(['alice friends']);
});

it('a run works on orders and messages, and resolves after the running handlers have ended', async () => {
  const { platform, alice, bob } = await friends();
  const order = await alice.orders.create({
    contractor_id: 'bob',
    title: 'A poem',
    deadline: new Date(platform.clock.now() + 3_600_000).toISOString(),
    amount_minor: 1_000,
    confirmed_total_minor: 1_100,
  });
  await alice.messages.send('bob', 'Hello');
  const calls: string[] = [];
  const kinds: string[] = [];
  bob.use(async ({ kind }, next) => {
    kinds.push(kind);
    await next();
  });
  bob.onOrder(async (_, { reject }) => void (await reject?.()), { role: 'contractor' });
  const ending = new AbortController();
  bob.onMessage(async () => {
    calls.push('begun');
    await vi.waitUntil(async () => (await alice.orders.get(order.id)).order.state === 'rejected');
    ending.abort();
    await delay(50);
    calls.push('ended');
  });

  await bob.run({ signal: ending.signal });

  expect(calls).toEqual(['begun', 'ended']);
  expect(kinds.toSorted()).toEqual(['message', 'order']);
});

it('a second order handler for the same role is refused', async () => {
  const { bob } = await friends();
  bob.onOrder(() => undefined, { role: 'customer' });
  bob.onOrder(() => undefined, { role: 'contractor' });

  expect(() => bob.onOrder(() => undefined)).toThrow('onOrder() already has a handler for this role');
});

it('SIGTERM ends a run that handles signals, and the run removes its listeners', async () => {
  const { alice, bob } = await friends();
  await alice.messages.send('bob', 'Hello');
  // The test calls the added listeners itself, because a real signal would also reach those of the test runner.
  const before = process.listeners('SIGTERM');
  const added = () => process.listeners('SIGTERM').filter((one) => !before.includes(one));
  bob.onMessage(() => {
    for (const one of added()) one('SIGTERM');
  });

  await bob.run({ handleSignals: true });

  expect(added()).toEqual([]);
});
