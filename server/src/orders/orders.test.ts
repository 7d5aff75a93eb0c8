import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { block, waitingEvents } from '../../testing/friends.ts';
import {
  act,
  balances,
  create,
  go,
  inAnHour,
  makePair,
  offer,
  offerTo,
  orderIn,
  orderThatIs,
  type Pair,
  read,
} from '../../testing/orders.ts';
import { expectRefusal, hour, startTestServer, type TestServer } from '../../testing/test-server.ts';
import { suspendAgent } from '../identity/suspension-commands.ts';

let server: TestServer;
let pair: Pair;
beforeAll(async () => {
  server = await startTestServer();
  pair = await makePair(server);
});
afterAll(() => server.close());

const quote = (amount_minor: unknown) =>
  server.request('POST', '/api/v1/orders/quote', { token: pair.customer.token, body: { amount_minor } });

describe('a quote', () => {
  it.each([
    [4, 0],
    [5, 1],
    [1_000, 100],
    [909_090_909_091, 90_909_090_909],
  ])('of %d has a commission of %d', async (amount_minor, fee_minor) => {
    const answer = await quote(amount_minor);
    expect(answer.status).toBe(200);
    expect(answer.body['quote']).toEqual({
      amount_minor,
      fee_minor,
      total_minor: amount_minor + fee_minor,
      fee_bps: 1_000,
    });
  });

  it.each([0, -1, 1.5, '100', true, null, undefined, [1], {}, 909_090_909_092, 2 ** 53, 1e300])(
    'of %j is invalid_input',
    async (amount) => {
      expectRefusal(await quote(amount), 'invalid_input');
    },
  );
});

describe('an order from its offer to its end', () => {
  it('pays the contractor and the platform out of the reserve', async () => {
    const mine = await makePair(server, 5_000);
    const body = {
      operation_id: randomUUID(),
      title: 'A picture',
      description: 'of a cat',
      deadline: '2099-01-02T03:04:05.678+01:00',
      amount_minor: 1_000,
      contractor_id: mine.contractor.id,
      confirmed_total_minor: 1_100,
    };
    const created = await create(server, mine.customer, body);
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
    expect(await balances(server, mine.customer)).toEqual([5_000, 0]);

    const accepted = orderIn(await act(server, mine.contractor, id, 'accept', { expected_version: 1 }));
    expect(accepted).toMatchObject({ state: 'funded', version: 2 });
    expect(await balances(server, mine.customer)).toEqual([3_900, 1_100]);

    await act(server, mine.contractor, id, 'start', { expected_version: 2 });
    const delivered = await act(server, mine.contractor, id, 'deliver', { expected_version: 3, result_text: 'here' });
    expect(delivered.body['order']).toMatchObject({ state: 'delivered', version: 4, result_text: 'here' });
    expect(await balances(server, mine.contractor)).toEqual([0, 0]);

    const closed = orderIn(await act(server, mine.customer, id, 'complete', { expected_version: 4 }));
    expect(closed).toMatchObject({ state: 'closed', version: 5, outcome: 'accepted' });
    expect(await balances(server, mine.customer)).toEqual([3_900, 0]);
    expect(await balances(server, mine.contractor)).toEqual([1_000, 0]);

    const history = await server.request('GET', '/api/v1/wallet/history', { token: mine.customer.token });
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

  it('gives everything back, commission included, when both agree', async () => {
    const mine = await makePair(server, 1_100);
    const id = await offer(server, mine);
    await go(server, mine, id, ['accept', 'start', 'propose-refund']);
    expect(await balances(server, mine.customer)).toEqual([0, 1_100]);
    const closed = await go(server, mine, id, ['approve-refund']);

    expect(closed).toMatchObject({
      state: 'closed',
      outcome: 'refunded',
      version: 5,
      refund_proposal: { proposed_by: mine.customer.id, reason: 'let us stop' },
    });
    expect(await balances(server, mine.customer)).toEqual([1_100, 0]);
    expect(await balances(server, mine.contractor)).toEqual([0, 0]);
  });

  it('keeps its history, oldest first', async () => {
    const id = await offer(server, pair);
    await go(server, pair, id, ['accept', 'dispute', 'propose-refund', 'approve-refund']);
    const answer = await server.request('GET', `/api/v1/orders/${id}`, { token: pair.contractor.token });

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

  it('tells both participants of every version', async () => {
    const mine = await makePair(server);
    const id = await offer(server, mine);
    await go(server, mine, id, ['accept', 'start']);
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
      const events = (await waitingEvents(server, agent)).filter(({ kind }) => kind === 'order.changed');
      expect(events).toEqual(expected);
    }
  });

  it('tells nobody of what was refused', async () => {
    const mine = await makePair(server, 0);
    const id = await offer(server, mine);
    const before = (await waitingEvents(server, mine.customer)).length;
    expectRefusal(
      await act(server, mine.customer, id, 'accept', { expected_version: 1, confirmed_total_minor: 1_100 }),
      'insufficient_funds',
    );
    expect((await waitingEvents(server, mine.customer)).length).toBe(before);
    expect(await read(server, mine.customer, id)).toMatchObject({ state: 'offered', version: 1 });
  });

  it('goes on after a block, completed or refunded', async () => {
    const mine = await makePair(server, 2_200);
    const first = await orderThatIs(server, mine, 'delivered');
    const second = await orderThatIs(server, mine, 'disputed');
    const third = await offer(server, mine);
    await block(server, mine.contractor, mine.contactId);

    expect(await go(server, mine, first['id'] ?? '', ['complete'])).toMatchObject({ outcome: 'accepted' });
    expect(await go(server, mine, second['id'] ?? '', ['propose-refund', 'approve-refund'])).toMatchObject({
      outcome: 'refunded',
    });
    expect(await balances(server, mine.customer)).toEqual([1_100, 0]);
    expect(await balances(server, mine.contractor)).toEqual([1_000, 0]);
    const accept = { expected_version: 1, confirmed_total_minor: 1_100 };
    expectRefusal(await act(server, mine.customer, third, 'accept', accept), 'friendship_required');
    expectRefusal(await create(server, mine.contractor, offerTo(mine)), 'friendship_required');
    expect(await go(server, mine, third, ['cancel'])).toMatchObject({ state: 'cancelled' });
  });

  it('goes on while the other is suspended, in everything but making and accepting offers', async () => {
    const mine = await makePair(server, 3_300);
    const done = await orderThatIs(server, mine, 'delivered');
    const open = await offer(server, mine);
    await suspendAgent(server.store, () => new Date(), mine.contractor.id);

    const accept = { expected_version: 1, confirmed_total_minor: 1_100 };
    expectRefusal(await act(server, mine.customer, open, 'accept', accept), 'participant_inactive');
    const body = offerTo(mine, {
      customer_id: undefined,
      contractor_id: mine.contractor.id,
      confirmed_total_minor: 1_100,
    });
    expectRefusal(await create(server, mine.customer, body), 'participant_inactive');
    expect(await go(server, mine, done['id'] ?? '', ['complete'])).toMatchObject({ outcome: 'accepted' });
    expect(await go(server, mine, open, ['reject'])).toMatchObject({ state: 'rejected' });
  });
});

describe('an offer', () => {
  it('may be made by either side', async () => {
    const byContractor = orderIn(await create(server, pair.contractor, offerTo(pair)));
    expect(byContractor).toMatchObject({ author_id: pair.contractor.id, customer: { id: pair.customer.id } });
    const terms = { customer_id: undefined, contractor_id: pair.contractor.id, confirmed_total_minor: 1_100 };
    const byCustomer = orderIn(await create(server, pair.customer, offerTo(pair, terms)));
    expect(byCustomer).toMatchObject({ author_id: pair.customer.id, contractor: { id: pair.contractor.id } });
  });

  const day = '2099-01-01';
  it.each<readonly [string, object]>([
    ['without an operation id', { operation_id: undefined }],
    ['with an operation id that is none', { operation_id: 'x' }],
    ['without a title', { title: undefined }],
    ['with an empty title', { title: '' }],
    ['with a title of 161 characters', { title: 'x'.repeat(161) }],
    ['with a description of 8001 characters', { description: 'x'.repeat(8_001) }],
    ['without a deadline', { deadline: undefined }],
    ['with a deadline without a zone', { deadline: `${day}T00:00:00` }],
    ['with a date as deadline', { deadline: day }],
    ['with 30 February as deadline', { deadline: '2099-02-30T00:00:00Z' }],
    ['with a leap second as deadline', { deadline: '2099-12-31T23:59:60Z' }],
    ['with a deadline beyond the year 9999', { deadline: '9999-12-31T23:59:59-01:00' }],
    ['with a deadline of the year 10000', { deadline: '10000-01-01T00:00:00Z' }],
    ['with a deadline that has passed', { deadline: '2020-01-01T00:00:00Z' }],
    ['with an amount of 0', { amount_minor: 0 }],
    ['with a negative amount', { amount_minor: -1 }],
    ['with a fraction as amount', { amount_minor: 1.5 }],
    ['with a text as amount', { amount_minor: '1000' }],
    ['with a boolean as amount', { amount_minor: true }],
    ['without an amount', { amount_minor: undefined }],
    ['with a total over 10^12', { amount_minor: 909_090_909_092 }],
    ['with an unsafe amount', { amount_minor: 2 ** 53 }],
    ['without a counterpart', { customer_id: undefined }],
    ['with two counterparts', { contractor_id: randomUUID() }],
    ['with a counterpart of null', { customer_id: null }],
    ['with a fraction as confirmed total', { confirmed_total_minor: 1_100.5 }],
    ['with a text as confirmed total', { confirmed_total_minor: '1100' }],
    ['with a negative confirmed total', { confirmed_total_minor: -1_100 }],
    ['with an unsafe confirmed total', { confirmed_total_minor: 1e300 }],
    ['with an unknown member', { state: 'funded' }],
    ['with eleven files', { input_attachment_ids: Array.from({ length: 11 }, () => randomUUID()) }],
    ['with files that are no list', { input_attachment_ids: 'x' }],
    ['with a fee of its own', { fee_minor: 0 }],
  ])('%s is invalid_input', async (_name, more) => {
    expectRefusal(await create(server, pair.contractor, offerTo(pair, more)), 'invalid_input');
  });

  it('to oneself is invalid_input', async () => {
    expectRefusal(await create(server, pair.customer, offerTo(pair)), 'invalid_input');
  });

  it('of a customer needs the total confirmed, and the right one', async () => {
    const asCustomer = { customer_id: undefined, contractor_id: pair.contractor.id };
    expectRefusal(await create(server, pair.customer, offerTo(pair, asCustomer)), 'invalid_input');
    for (const confirmed_total_minor of [0, 1_000, 1_099, 1_101]) {
      const body = offerTo(pair, { ...asCustomer, confirmed_total_minor });
      expectRefusal(await create(server, pair.customer, body), 'price_changed');
    }
  });

  it('of a contractor with another total confirmed is price_changed', async () => {
    expectRefusal(await create(server, pair.contractor, offerTo(pair, { confirmed_total_minor: 1 })), 'price_changed');
    expect((await create(server, pair.contractor, offerTo(pair, { confirmed_total_minor: 1_100 }))).status).toBe(201);
  });

  it('to a stranger, and to nobody, needs friendship', async () => {
    const stranger = await server.register('stranger');
    for (const id of [stranger.id, randomUUID()]) {
      expectRefusal(await create(server, pair.contractor, offerTo(pair, { customer_id: id })), 'friendship_required');
    }
  });

  it('takes a total of exactly 10^12', async () => {
    const order = orderIn(await create(server, pair.contractor, offerTo(pair, { amount_minor: 909_090_909_091 })));
    expect(order).toMatchObject({ fee_minor: 90_909_090_909, total_minor: 1_000_000_000_000 });
  });

  it('tells what is wrong in the decided order', async () => {
    const stranger = await server.register('told_in_order');
    const late = { deadline: '2020-01-01T00:00:00Z', confirmed_total_minor: 1, input_attachment_ids: [randomUUID()] };
    const told = async (more: object) =>
      (await create(server, pair.contractor, offerTo(pair, { ...late, ...more }))).body['error']?.['code'];

    expect(await told({ customer_id: stranger.id })).toBe('friendship_required');
    expect(await told({})).toBe('invalid_input');
    expect(await told({ deadline: inAnHour() })).toBe('price_changed');
    expect(await told({ deadline: inAnHour(), confirmed_total_minor: 1_100 })).toBe('invalid_attachment');
  });

  it('cannot be accepted after its deadline, and can be taken back', async () => {
    const late = await startTestServer();
    try {
      const mine = await makePair(late);
      const id = await offer(late, mine);
      late.pass(2 * hour);
      const accept = { expected_version: 1, confirmed_total_minor: 1_100 };
      expectRefusal(await act(late, mine.customer, id, 'accept', accept), 'deadline_passed');
      expect(await go(late, mine, id, ['cancel'])).toMatchObject({ state: 'cancelled' });
    } finally {
      await late.close();
    }
  });
});

describe('an acceptance', () => {
  it('of a customer needs the total confirmed, and the right one', async () => {
    const id = await offer(server, pair);
    const accept = (more: object) => act(server, pair.customer, id, 'accept', { expected_version: 1, ...more });
    expectRefusal(await accept({}), 'invalid_input');
    expectRefusal(await accept({ confirmed_total_minor: 1_099 }), 'price_changed');
    expectRefusal(await accept({ confirmed_total_minor: 1_100.5 }), 'invalid_input');
    expect((await accept({ confirmed_total_minor: 1_100 })).status).toBe(200);
  });

  it('of a contractor may confirm the total, and then has to get it right', async () => {
    const terms = { customer_id: undefined, contractor_id: pair.contractor.id, confirmed_total_minor: 1_100 };
    const id = orderIn(await create(server, pair.customer, offerTo(pair, terms)))['id'] ?? '';
    const accept = (more: object) => act(server, pair.contractor, id, 'accept', { expected_version: 1, ...more });
    expectRefusal(await accept({ confirmed_total_minor: 1 }), 'price_changed');
    expect((await accept({})).status).toBe(200);
  });

  it('needs credits for the whole total, and reserves nothing otherwise', async () => {
    const mine = await makePair(server, 1_099);
    const id = await offer(server, mine);
    const accept = { expected_version: 1, confirmed_total_minor: 1_100 };
    expectRefusal(await act(server, mine.customer, id, 'accept', accept), 'insufficient_funds');
    expect(await balances(server, mine.customer)).toEqual([1_099, 0]);
    await server.grant(mine.customer.id, 1);
    expect((await act(server, mine.customer, id, 'accept', accept)).status).toBe(200);
    expect(await balances(server, mine.customer)).toEqual([0, 1_100]);
  });
});

describe('a list of orders', () => {
  it('has the own ones in either role, newest first, by pages and by state', async () => {
    const mine = await makePair(server);
    const ids: string[] = [];
    for (let number = 0; number < 5; number += 1) ids.unshift(await offer(server, mine));
    const terms = { customer_id: undefined, contractor_id: mine.contractor.id, confirmed_total_minor: 1_100 };
    ids.unshift(orderIn(await create(server, mine.customer, offerTo(mine, terms)))['id'] ?? '');
    await go(server, mine, ids[2] ?? '', ['reject']);
    const list = async (query: string, agent = mine.contractor) => {
      const { status, body } = await server.request('GET', `/api/v1/orders${query}`, { token: agent.token });
      expect(status, JSON.stringify(body)).toBe(200);
      return { ids: [...(body['orders'] ?? [])].map((order) => order['id']), next: body['next_page'] };
    };

    for (const agent of [mine.customer, mine.contractor]) expect(await list('', agent)).toEqual({ ids, next: null });
    expect(await list('?page_size=4')).toEqual({ ids: ids.slice(0, 4), next: 2 });
    expect(await list('?page_size=4&page=2')).toEqual({ ids: ids.slice(4), next: null });
    expect(await list('?page_size=3&page=2')).toEqual({ ids: ids.slice(3), next: null });
    expect(await list('?page=3')).toEqual({ ids: [], next: null });
    expect(await list('?state=rejected')).toEqual({ ids: [ids[2]], next: null });
    expect(await list('?state=offered&page_size=2&page=3')).toEqual({ ids: [ids[5]], next: null });
    const stranger = await server.register('list_stranger');
    expect(await list('', stranger)).toEqual({ ids: [], next: null });
  });

  it.each([
    ['page=0', 'invalid_pagination'],
    ['page=1001', 'invalid_pagination'],
    ['page_size=51', 'invalid_pagination'],
    ['page_size=x', 'invalid_pagination'],
    ['state=done', 'invalid_input'],
    ['state=', 'invalid_input'],
    ['state=offered&state=funded', 'invalid_input'],
    ['role=customer', 'invalid_input'],
  ] as const)('refuses ?%s as %s', async (query, code) => {
    expectRefusal(await server.request('GET', `/api/v1/orders?${query}`, { token: pair.customer.token }), code);
  });
});

describe('a foreign order', () => {
  it('looks like none, whatever is tried', async () => {
    const stranger = await server.register('foreign');
    const id = await offer(server, pair);
    const used = randomUUID();
    const other = await makePair(server);
    const own = orderIn(await create(server, other.contractor, offerTo(other, { operation_id: used })));
    expect(own['state']).toBe('offered');

    const answers = [id, randomUUID()].map(async (order) => {
      const got = await server.request('GET', `/api/v1/orders/${order}`, { token: stranger.token });
      const tried = await act(server, stranger, order, 'cancel', { expected_version: 1 });
      const spent = await act(server, other.contractor, order, 'cancel', { expected_version: 1, operation_id: used });
      return [got, tried, spent].map(({ status, body }) => ({ status, body }));
    });
    const [foreign, none] = await Promise.all(answers);
    expect(foreign).toEqual(none);
    for (const { status, body } of foreign ?? []) expect([status, body['error']?.['code']]).toEqual([404, 'not_found']);
  });

  it.each(['x', '123', `${randomUUID()}x`])('whose id is %j is invalid_id', async (id) => {
    expectRefusal(await server.request('GET', `/api/v1/orders/${id}`, { token: pair.customer.token }), 'invalid_id');
    expectRefusal(await act(server, pair.customer, id, 'cancel', { expected_version: 1 }), 'invalid_id');
  });

  it('and an action that does not exist are not found', async () => {
    const id = await offer(server, pair);
    for (const action of ['resume', 'Accept', 'accept/', '']) {
      expectRefusal(await act(server, pair.customer, id, action, { expected_version: 1 }), 'not_found');
    }
  });
});
