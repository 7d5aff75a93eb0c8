import { randomUUID } from 'node:crypto';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { fetch as undiciFetch } from 'undici';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { makeOffer, startServerWithFriends } from '../../testing/pair.ts';
import { failureOf } from '../../testing/records.ts';
import { makeDurableState } from '../../testing/states.ts';
import type { Fetch } from '../transport/call-options.ts';
import { type Untrusted, unfenced } from '../untrusted.ts';
import { availableActions } from './available-actions.ts';
import type { Order } from './order-types.ts';

describe('against the reference server', () => {
  it('an order runs from quote to payout, and both wallets change', async () => {
    const { alice, bob, aliceId, bobId } = await startServerWithFriends();
    const quote = await alice.orders.quote(1_000);
    expect(quote).toEqual({ amount_minor: 1_000, fee_minor: 100, total_minor: 1_100, fee_bps: 1_000 });

    const { data: offer, response } = await alice.orders.create(makeOffer(bobId)).withResponse();
    expect([response.status, offer.state, offer.version]).toEqual([201, 'offered', 1]);
    expect(unfenced(offer.title)).toBe('A thumbnail');
    expect((await bob.orders.list({ state: 'offered' })).orders.map(({ id }) => id)).toEqual([offer.id]);
    expect(await alice.wallet.get()).toMatchObject({ available_minor: 10_000, reserved_minor: 0 });

    const funded = await bob.orders.accept(offer);
    expect(await alice.wallet.get()).toMatchObject({ available_minor: 8_900, reserved_minor: 1_100 });
    const begun = await bob.orders.start(funded);
    const delivered = await bob.orders.deliver(begun, { result_text: 'Here it is.' });
    const possible = availableActions(delivered, aliceId, { now: new Date() }).filter((next) => next.possible);
    expect(possible.map(({ action }) => action)).toEqual(['complete', 'dispute', 'propose-refund']);
    expect(await alice.orders.complete(delivered)).toMatchObject({ state: 'closed', outcome: 'accepted', version: 5 });

    const { events } = await bob.orders.get(offer.id);
    expect(events.map(({ action }) => action)).toEqual(['create', 'accept', 'start', 'deliver', 'complete']);
    expect(await alice.wallet.get()).toMatchObject({ available_minor: 8_900, reserved_minor: 0, total_minor: 8_900 });
    expect(await bob.wallet.get()).toMatchObject({ available_minor: 1_000 });
    const entries: [string, number][] = [];
    for await (const { kind, delta_minor } of alice.wallet.history({ limit: 2 })) entries.push([kind, delta_minor]);
    expect(entries.toSorted()).toEqual([
      ['fee', -100],
      ['grant', 10_000],
      ['payout', -1_000],
      ['reserve', -1_100],
      ['reserve', 1_100],
    ]);
  });

  it('a dispute ends with a refund that both agents agree to', async () => {
    const { alice, bob, bobId } = await startServerWithFriends();
    const funded = await bob.orders.accept(await alice.orders.create(makeOffer(bobId)));
    const disputed = await alice.orders.dispute(funded, 'Too late.');
    const proposed = await bob.orders.proposeRefund(disputed, 'I was ill.');

    expect(proposed.refund_proposal).toMatchObject({ reason: 'I was ill.' });
    expect(await failureOf(bob.orders.approveRefund(proposed))).toMatchObject({ code: 'counterparty_required' });
    expect(await alice.orders.approveRefund(proposed)).toMatchObject({ state: 'closed', outcome: 'refunded' });
    expect(await alice.wallet.get()).toMatchObject({ available_minor: 10_000, reserved_minor: 0 });
  });

  it('offers are cancelled, rejected, and refused when they are stale', async () => {
    const { alice, bob, aliceId, bobId } = await startServerWithFriends();
    const [one, other] = [await alice.orders.create(makeOffer(bobId)), await alice.orders.create(makeOffer(bobId))];
    expect(await alice.orders.cancel(one)).toMatchObject({ state: 'cancelled' });
    expect(await failureOf(bob.orders.accept(one))).toMatchObject({ status: 409, code: 'version_conflict' });
    expect(await bob.orders.reject(other)).toMatchObject({ state: 'rejected' });

    const { confirmed_total_minor: _, contractor_id: __, ...terms } = makeOffer(bobId);
    const fromBob = await bob.orders.create({ ...terms, customer_id: aliceId });
    expect(await failureOf(alice.orders.accept(fromBob))).toMatchObject({ code: 'invalid_input' });
    const wrong = alice.orders.accept(fromBob, { confirmed_total_minor: 1_000 });
    expect(await failureOf(wrong)).toMatchObject({ code: 'price_changed' });
    expect(await alice.orders.accept(fromBob, { confirmed_total_minor: 1_100 })).toMatchObject({ state: 'funded' });
  });

  it('a command whose responses are lost takes effect once when a later process resumes it', async () => {
    const { bob, bobId, again } = await startServerWithFriends();
    const place = makeTestFolder();
    const operationId = randomUUID();
    // Every response to a command is lost.
    const losing: Fetch = async (url, init) => {
      const answer = await undiciFetch(url, init);
      if (init.method === 'POST') throw new TypeError('fetch failed');
      return answer;
    };
    const states = [makeDurableState(place), makeDurableState(place)] as const;
    const first = again({ fetch: losing, state: states[0], maxRetries: 1, sleep: async () => undefined });
    const failure = await failureOf(first.orders.create(makeOffer(bobId), { operationId }));
    expect(failure).toMatchObject({ code: 'operation_pending', operationId });
    await states[0].close();

    const second = again({ state: states[1] });
    const [resumed] = await second.orders.resume();
    expect(resumed).toMatchObject({ outcome: 'done', order: { state: 'offered', version: 1 } });
    expect(await second.orders.pending()).toEqual([]);
    expect((await bob.orders.list()).orders).toHaveLength(1);
    await states[1].close();
  });

  it('a watch with an open stream reports changes by the other agent immediately, and does not poll', async () => {
    const reads: string[] = [];
    const { alice, bob, bobId, again } = await startServerWithFriends();
    const watching = again({
      hooks: {
        onRequest: ({ operationId }) => {
          if (operationId === 'readOrder') reads.push(operationId);
        },
      },
    });
    const stop = new AbortController();
    const running = watching.events.run({ signal: stop.signal });
    const offer = await alice.orders.create(makeOffer(bobId));
    const states: string[] = [];
    const watch = (async () => {
      for await (const { state } of watching.orders.watch(offer.id, { pollEveryMs: 60_000 })) states.push(state);
    })();
    await vi.waitFor(() => expect(states).toEqual(['offered']), 120_000);
    const funded = await bob.orders.accept(offer);
    await vi.waitFor(() => expect(states).toEqual(['offered', 'funded']), { timeout: 120_000 });
    const begun = await bob.orders.start(funded);
    await alice.orders.proposeRefund(begun, 'No need any more.').then((order) => bob.orders.approveRefund(order));
    await watch;
    stop.abort();
    await running;

    expect(states.slice(0, 2)).toEqual(['offered', 'funded']);
    expect(states.at(-1)).toBe('closed');
    expect(reads.length).toBeLessThan(12);
  });
});

describe('types', () => {
  it('mark every text of an order as untrusted, and allow only one counterparty in an offer', () => {
    expectTypeOf<Order['title']>().toEqualTypeOf<Untrusted>();
    expectTypeOf<Order['result_text']>().toEqualTypeOf<Untrusted | null>();
    expectTypeOf<Order['customer']['display_name']>().toEqualTypeOf<Untrusted>();
    expectTypeOf<Order['total_minor']>().toEqualTypeOf<number>();
  });
});
