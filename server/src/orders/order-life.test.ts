import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { readEventBacklog, sendContactBlock } from '../../testing/scenarios/friends.ts';
import {
  advanceOrder,
  makeOffer,
  makeOrderInState,
  makeOrderParties,
  type OrderParties,
  offerBody,
  orderIn,
  readBalances,
  readOrder,
  sendAction,
  sendOrder,
} from '../../testing/scenarios/orders.ts';
import { suspendAgent } from '../../testing/scenarios/suspension.ts';
import { expectRefusal, useTestServer } from '../../testing/test-server.ts';

const server = useTestServer();
let pair: OrderParties;
beforeAll(async () => {
  pair = await makeOrderParties(server());
});

describe('an order from offer to end', () => {
  it('pays the contractor and the platform from the reserved credits', async () => {
    const mine = await makeOrderParties(server(), 5_000);
    const body = {
      operation_id: randomUUID(),
      title: 'A picture',
      description: 'of a cat',
      deadline: '2099-01-02T03:04:05.678+01:00',
      amount_minor: 1_000,
      contractor_id: mine.contractor.id,
      confirmed_total_minor: 1_100,
    };
    const created = await sendOrder(server(), mine.customer, body);
    const { id } = created.body['order'] ?? { id: '' };

    expect(created.status).toBe(201);
    expect(created.body['order']).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      state: 'offered',
      version: 1,
      author_id: mine.customer.id,
      customer: { id: mine.customer.id, handle: mine.customer.handle, display_name: mine.customer.handle },
      contractor: { id: mine.contractor.id, handle: mine.contractor.handle, display_name: mine.contractor.handle },
      title: 'A picture',
      description: 'of a cat',
      deadline: '2099-01-02T02:04:05.678Z',
      amount_minor: 1_000,
      fee_minor: 100,
      total_minor: 1_100,
      fee_bps: 1_000,
      fee_mode: 'on_top',
      input_attachments: [],
      result_attachments: [],
      result_text: null,
      refund_proposal: null,
      outcome: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(await readBalances(server(), mine.customer)).toEqual([5_000, 0]);

    const accepted = orderIn(await sendAction(server(), mine.contractor, id, 'accept', { expected_version: 1 }));
    expect(accepted).toMatchObject({ state: 'funded', version: 2 });
    expect(await readBalances(server(), mine.customer)).toEqual([3_900, 1_100]);

    await sendAction(server(), mine.contractor, id, 'start', { expected_version: 2 });
    const delivered = await sendAction(server(), mine.contractor, id, 'deliver', {
      expected_version: 3,
      result_text: 'here',
    });
    expect(delivered.body['order']).toMatchObject({ state: 'delivered', version: 4, result_text: 'here' });
    expect(await readBalances(server(), mine.contractor)).toEqual([0, 0]);

    const closed = orderIn(await sendAction(server(), mine.customer, id, 'complete', { expected_version: 4 }));
    expect(closed).toMatchObject({ state: 'closed', version: 5, outcome: 'accepted' });
    expect(await readBalances(server(), mine.customer)).toEqual([3_900, 0]);
    expect(await readBalances(server(), mine.contractor)).toEqual([1_000, 0]);

    const history = await server().request('GET', '/api/v1/wallet/history', { token: mine.customer.token });
    expect(
      [...(history.body['entries'] ?? [])].map((entry) => [
        entry['kind'],
        entry['account_kind'],
        entry['delta_minor'],
        entry['order_id'],
      ]),
    ).toEqual([
      ['fee', 'reserved', -100, id],
      ['payout', 'reserved', -1_000, id],
      ['reserve', 'reserved', 1_100, id],
      ['reserve', 'available', -1_100, id],
      ['grant', 'available', 5_000, null],
    ]);
  });

  it('refunds everything, including the commission, when both agree', async () => {
    const mine = await makeOrderParties(server(), 1_100);
    const id = await makeOffer(server(), mine);
    await advanceOrder(server(), mine, id, ['accept', 'start', 'propose-refund']);
    expect(await readBalances(server(), mine.customer)).toEqual([0, 1_100]);
    const closed = await advanceOrder(server(), mine, id, ['approve-refund']);

    expect(closed).toMatchObject({
      state: 'closed',
      outcome: 'refunded',
      version: 5,
      refund_proposal: { proposed_by: mine.customer.id, reason: 'let us stop' },
    });
    expect(await readBalances(server(), mine.customer)).toEqual([1_100, 0]);
    expect(await readBalances(server(), mine.contractor)).toEqual([0, 0]);
  });

  it('keeps its history, oldest first', async () => {
    const id = await makeOffer(server(), pair);
    await advanceOrder(server(), pair, id, ['accept', 'dispute', 'propose-refund', 'approve-refund']);
    const answer = await server().request('GET', `/api/v1/orders/${id}`, { token: pair.contractor.token });

    expect(answer.body['events']).toEqual(
      [
        ['create', pair.contractor.id, 'offered', null],
        ['accept', pair.customer.id, 'funded', null],
        ['dispute', pair.customer.id, 'disputed', 'not as agreed'],
        ['propose-refund', pair.customer.id, 'disputed', 'let us stop'],
        ['approve-refund', pair.contractor.id, 'closed', null],
      ].map(([action, participant_id, state, reason], index) => ({
        action,
        participant_id,
        state,
        version: index + 1,
        reason,
        created_at: expect.any(String),
      })),
    );
  });

  it('sends an event for every version to both participants', async () => {
    const mine = await makeOrderParties(server());
    const id = await makeOffer(server(), mine);
    await advanceOrder(server(), mine, id, ['accept', 'start']);
    const expected = [
      ['offered', 1],
      ['funded', 2],
      ['in_progress', 3],
    ].map(([status, version]) => ({
      kind: 'order.changed',
      peer_id: null,
      payload: { order_id: id, status, version },
      expires_at: null,
    }));
    for (const agent of [mine.customer, mine.contractor]) {
      const events = (await readEventBacklog(server(), agent)).filter(({ kind }) => kind === 'order.changed');
      expect(events).toEqual(expected);
    }
  });

  it('sends no event for refused commands', async () => {
    const mine = await makeOrderParties(server(), 0);
    const id = await makeOffer(server(), mine);
    const before = (await readEventBacklog(server(), mine.customer)).length;
    expectRefusal(
      await sendAction(server(), mine.customer, id, 'accept', { expected_version: 1, confirmed_total_minor: 1_100 }),
      'insufficient_funds',
    );
    expect((await readEventBacklog(server(), mine.customer)).length).toBe(before);
    expect(await readOrder(server(), mine.customer, id)).toMatchObject({ state: 'offered', version: 1 });
  });

  it('continues after a block, to completion or refund', async () => {
    const mine = await makeOrderParties(server(), 2_200);
    const first = await makeOrderInState(server(), mine, 'delivered');
    const second = await makeOrderInState(server(), mine, 'disputed');
    const third = await makeOffer(server(), mine);
    await sendContactBlock(server(), mine.contractor, mine.contactId);

    expect(await advanceOrder(server(), mine, first['id'] ?? '', ['complete'])).toMatchObject({ outcome: 'accepted' });
    expect(await advanceOrder(server(), mine, second['id'] ?? '', ['propose-refund', 'approve-refund'])).toMatchObject({
      outcome: 'refunded',
    });
    expect(await readBalances(server(), mine.customer)).toEqual([1_100, 0]);
    expect(await readBalances(server(), mine.contractor)).toEqual([1_000, 0]);
    const accept = { expected_version: 1, confirmed_total_minor: 1_100 };
    expectRefusal(await sendAction(server(), mine.customer, third, 'accept', accept), 'friendship_required');
    expectRefusal(await sendOrder(server(), mine.contractor, offerBody(mine)), 'friendship_required');
    expect(await advanceOrder(server(), mine, third, ['cancel'])).toMatchObject({ state: 'cancelled' });
  });

  it('continues while the other participant is suspended, except for making and accepting offers', async () => {
    const mine = await makeOrderParties(server(), 3_300);
    const done = await makeOrderInState(server(), mine, 'delivered');
    const open = await makeOffer(server(), mine);
    await suspendAgent(server().store, () => new Date(), mine.contractor.id);

    const accept = { expected_version: 1, confirmed_total_minor: 1_100 };
    expectRefusal(await sendAction(server(), mine.customer, open, 'accept', accept), 'participant_inactive');
    const body = offerBody(mine, {
      customer_id: undefined,
      contractor_id: mine.contractor.id,
      confirmed_total_minor: 1_100,
    });
    expectRefusal(await sendOrder(server(), mine.customer, body), 'participant_inactive');
    expect(await advanceOrder(server(), mine, done['id'] ?? '', ['complete'])).toMatchObject({ outcome: 'accepted' });
    expect(await advanceOrder(server(), mine, open, ['reject'])).toMatchObject({ state: 'rejected' });
  });
});
