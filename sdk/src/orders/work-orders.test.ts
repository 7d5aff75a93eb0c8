import { fetch as undiciFetch } from 'undici';
import { expect, it, vi } from 'vitest';
import { makeTestClient } from '../../testing/client.ts';
import { makeOffer, startServerWithFriends } from '../../testing/pair.ts';
import { failureOf } from '../../testing/records.ts';
import { AgentPlatform } from '../agent-platform.ts';
import { memoryCredentials } from '../credentials/credential-store.ts';
import { memoryState } from '../state/memory-state.ts';
import { FakePlatform } from '../testing/fake-platform.ts';
import type { Fetch } from '../transport/call-options.ts';
import type { OrderHandler } from './order-worker.ts';

function delivering(text: string, calls: string[]): OrderHandler {
  return async ({ state }, { accept, start, deliver }) => {
    calls.push(state);
    await (accept?.() ?? start?.() ?? deliver?.({ result_text: text }));
  };
}

it('handles orders in both roles to their payout, and completes the action of a killed process unchanged', async () => {
  const { server, alice, bob: customer, aliceId, again } = await startServerWithFriends();
  await server.grant('bob_1', 10_000);
  const { id } = await customer.orders.create(makeOffer(aliceId));
  const ending = new AbortController();
  const calls: string[][] = [[], [], []];
  const paying = customer.orders.work(
    async ({ state }, { complete }, { role }) => {
      calls[2]?.push(`${role} ${state}`);
      await complete?.();
    },
    { role: 'customer', pollEveryMs: 100, signal: ending.signal },
  );

  // The process ends while its delivery is in the outbox and may or may not have been sent.
  const state = memoryState();
  const killed = new AbortController();
  const breakingFetch: Fetch = async (url, init) => {
    if (url.endsWith('/deliver')) throw new Error('killed');
    return await undiciFetch(url, init);
  };
  const hooks = { onHandlerFailure: () => killed.abort() };
  const first = again({ state, fetch: breakingFetch, maxRetries: 0, hooks });
  await first.orders.work(delivering('the first text', calls[0] ?? []), { pollEveryMs: 100, signal: killed.signal });
  expect(await first.orders.pending()).toMatchObject([{ operation: 'deliverOrder', order_id: id }]);

  const second = again({ state });
  const working = second.orders.work(delivering('another text', calls[1] ?? []), {
    pollEveryMs: 100,
    signal: ending.signal,
  });
  await vi.waitUntil(async () => (await alice.orders.get(id)).order.state === 'closed', { timeout: 120_000 });
  ending.abort();
  await Promise.all([paying, working]);

  const { order, events } = await alice.orders.get(id);
  expect(order).toMatchObject({ outcome: 'accepted', result_text: 'the first text' });
  expect(events.map(({ action }) => action)).toEqual(['create', 'accept', 'start', 'deliver', 'complete']);
  expect(calls).toEqual([['offered', 'funded', 'in_progress'], [], ['customer delivered']]);
  expect(await second.orders.pending()).toEqual([]);
});

it('uses the first decision if two processes of an agent decide on the same version', async () => {
  const platform = new FakePlatform();
  const shared = { credentials: memoryCredentials(), state: memoryState() };
  const [ending, killed] = [new AbortController(), new AbortController()];
  const hooks = { onHandlerFailure: () => killed.abort() };
  const alice = await platform.agent('alice', { creditsMinor: 10_000 });
  const first = await platform.agent('bob', { ...shared, maxRetries: 0, hooks });
  const second = new AgentPlatform({ ...platform.options, ...shared });
  await platform.befriend(alice, first);
  const offer = await alice.orders.create(makeOffer((await first.bots.me()).id));
  await first.orders.start(await first.orders.accept(offer));
  const results: unknown[] = [];

  await second.orders.work(
    async (_, { deliver }) => {
      // While this handler runs, the other process sends a delivery and is killed before the response arrives.
      platform.faults.loseAnswer('deliverOrder');
      await first.orders.work(delivering('the first text', []), { signal: killed.signal });
      const delivery = deliver?.({ result_text: 'another text' });
      results.push(
        await delivery?.then(
          ({ result_text }) => result_text,
          ({ code }) => code,
        ),
      );
      ending.abort();
    },
    { signal: ending.signal },
  );

  expect(results).toEqual(['the first text']);
});

it('refuses wrong options before it sends anything', async () => {
  const { orders } = makeTestClient('http://127.0.0.1:9');
  for (const wrong of [{ role: 'worker' }, { concurrency: 0 }, { pollEveryMs: 0.5 }, { rôle: 'customer' }]) {
    expect(await failureOf(orders.work(() => undefined, wrong as object))).toMatchObject({ code: 'invalid_option' });
  }
});
