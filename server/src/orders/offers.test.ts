import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  advanceOrder,
  makeOffer,
  makeOrderParties,
  type OrderParties,
  offerBody,
  oneHourFromNow,
  orderIn,
  readBalances,
  sendAction,
  sendOrder,
} from '../../testing/scenarios/orders.ts';
import { expectRefusal, hour, openTestServer, useTestServer } from '../../testing/test-server.ts';

const server = useTestServer();
let pair: OrderParties;
beforeAll(async () => {
  pair = await makeOrderParties(server());
});

const quote = (amount_minor: unknown) =>
  server().request('POST', '/api/v1/orders/quote', { token: pair.customer.token, body: { amount_minor } });

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

  const quoteText = (digits: string) =>
    server().request('POST', '/api/v1/orders/quote', {
      token: pair.customer.token,
      body: `{"amount_minor": ${digits}}`,
    });

  it.each(['4.9999999999999999999999', '5.0000000000000000000001', '49999999999999999999999e-22'])(
    'of %s is invalid_input, though a parser rounds it to 5',
    async (digits) => {
      const answer = await quoteText(digits);

      expectRefusal(answer, 'invalid_input');
      expect(answer.body['error']?.['details']).toMatchObject([{ path: '/amount_minor' }]);
    },
  );

  it.each(['5.0', '5e0', '0.5E1', '5.00000000000000000000000'])('of %s is that of 5', async (digits) => {
    expect((await quoteText(digits)).body['quote']).toMatchObject({ amount_minor: 5, total_minor: 6 });
  });

  it('is invalid_input even if the member name contains an escape', async () => {
    const body = String.raw`{"amount\u005fminor":4.9999999999999999999999}`;
    const answer = await server().request('POST', '/api/v1/orders/quote', { token: pair.customer.token, body });

    expectRefusal(answer, 'invalid_input');
  });
});

describe('an offer', () => {
  it('may be made by customer and contractor', async () => {
    const byContractor = orderIn(await sendOrder(server(), pair.contractor, offerBody(pair)));
    expect(byContractor).toMatchObject({ author_id: pair.contractor.id, customer: { id: pair.customer.id } });
    const terms = { customer_id: undefined, contractor_id: pair.contractor.id, confirmed_total_minor: 1_100 };
    const byCustomer = orderIn(await sendOrder(server(), pair.customer, offerBody(pair, terms)));
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
    expectRefusal(await sendOrder(server(), pair.contractor, offerBody(pair, more)), 'invalid_input');
  });

  it('to oneself is invalid_input', async () => {
    expectRefusal(await sendOrder(server(), pair.customer, offerBody(pair)), 'invalid_input');
  });

  it('of a customer must confirm the correct total', async () => {
    const asCustomer = { customer_id: undefined, contractor_id: pair.contractor.id };
    expectRefusal(await sendOrder(server(), pair.customer, offerBody(pair, asCustomer)), 'invalid_input');
    for (const confirmed_total_minor of [0, 1_000, 1_099, 1_101]) {
      const body = offerBody(pair, { ...asCustomer, confirmed_total_minor });
      expectRefusal(await sendOrder(server(), pair.customer, body), 'price_changed');
    }
  });

  it('of a contractor that confirms a different total is price_changed', async () => {
    expectRefusal(
      await sendOrder(server(), pair.contractor, offerBody(pair, { confirmed_total_minor: 1 })),
      'price_changed',
    );
    expect((await sendOrder(server(), pair.contractor, offerBody(pair, { confirmed_total_minor: 1_100 }))).status).toBe(
      201,
    );
  });

  it('to an unknown agent or one that is no friend is friendship_required', async () => {
    const stranger = await server().register('stranger');
    for (const id of [stranger.id, randomUUID()]) {
      expectRefusal(
        await sendOrder(server(), pair.contractor, offerBody(pair, { customer_id: id })),
        'friendship_required',
      );
    }
  });

  it('can have a total of exactly 10^12', async () => {
    const order = orderIn(
      await sendOrder(server(), pair.contractor, offerBody(pair, { amount_minor: 909_090_909_091 })),
    );
    expect(order).toMatchObject({ fee_minor: 90_909_090_909, total_minor: 1_000_000_000_000 });
  });

  it('reports faults in the specified order', async () => {
    const stranger = await server().register('told_in_order');
    const late = { deadline: '2020-01-01T00:00:00Z', confirmed_total_minor: 1, input_attachment_ids: [randomUUID()] };
    const told = async (more: object) =>
      (await sendOrder(server(), pair.contractor, offerBody(pair, { ...late, ...more }))).body['error']?.['code'];

    expect(await told({ customer_id: stranger.id })).toBe('friendship_required');
    expect(await told({})).toBe('invalid_input');
    expect(await told({ deadline: oneHourFromNow() })).toBe('price_changed');
    expect(await told({ deadline: oneHourFromNow(), confirmed_total_minor: 1_100 })).toBe('invalid_attachment');
  });

  it('cannot be accepted after its deadline, but can be cancelled', async () => {
    const late = await openTestServer();
    const mine = await makeOrderParties(late);
    const id = await makeOffer(late, mine);
    late.pass(2 * hour);
    const accept = { expected_version: 1, confirmed_total_minor: 1_100 };
    expectRefusal(await sendAction(late, mine.customer, id, 'accept', accept), 'deadline_passed');
    expect(await advanceOrder(late, mine, id, ['cancel'])).toMatchObject({ state: 'cancelled' });
  });
});

describe('an acceptance', () => {
  it('of a customer must confirm the correct total', async () => {
    const id = await makeOffer(server(), pair);
    const accept = (more: object) =>
      sendAction(server(), pair.customer, id, 'accept', { expected_version: 1, ...more });
    expectRefusal(await accept({}), 'invalid_input');
    expectRefusal(await accept({ confirmed_total_minor: 1_099 }), 'price_changed');
    expectRefusal(await accept({ confirmed_total_minor: 1_100.5 }), 'invalid_input');
    expect((await accept({ confirmed_total_minor: 1_100 })).status).toBe(200);
  });

  it('of a contractor may confirm the total, which then must be correct', async () => {
    const terms = { customer_id: undefined, contractor_id: pair.contractor.id, confirmed_total_minor: 1_100 };
    const id = orderIn(await sendOrder(server(), pair.customer, offerBody(pair, terms)))['id'] ?? '';
    const accept = (more: object) =>
      sendAction(server(), pair.contractor, id, 'accept', { expected_version: 1, ...more });
    expectRefusal(await accept({ confirmed_total_minor: 1 }), 'price_changed');
    expect((await accept({})).status).toBe(200);
  });

  it('requires credits for the whole total, and reserves nothing otherwise', async () => {
    const mine = await makeOrderParties(server(), 1_099);
    const id = await makeOffer(server(), mine);
    const accept = { expected_version: 1, confirmed_total_minor: 1_100 };
    expectRefusal(await sendAction(server(), mine.customer, id, 'accept', accept), 'insufficient_funds');
    expect(await readBalances(server(), mine.customer)).toEqual([1_099, 0]);
    await server().grant(mine.customer.id, 1);
    expect((await sendAction(server(), mine.customer, id, 'accept', accept)).status).toBe(200);
    expect(await readBalances(server(), mine.customer)).toEqual([0, 1_100]);
  });
});
