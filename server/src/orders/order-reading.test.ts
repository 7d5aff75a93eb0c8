import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  advanceOrder,
  makeOffer,
  makeOrderParties,
  type OrderParties,
  offerBody,
  orderIn,
  sendAction,
  sendOrder,
} from '../../testing/scenarios/orders.ts';
import { expectRefusal, useTestServer } from '../../testing/test-server.ts';

const server = useTestServer();
let pair: OrderParties;
beforeAll(async () => {
  pair = await makeOrderParties(server());
});

describe('a list of orders', () => {
  it("has the agent's own orders in both roles, newest first, by page and by state", async () => {
    const mine = await makeOrderParties(server());
    const ids: string[] = [];
    for (let number = 0; number < 5; number += 1) ids.unshift(await makeOffer(server(), mine));
    const terms = { customer_id: undefined, contractor_id: mine.contractor.id, confirmed_total_minor: 1_100 };
    ids.unshift(orderIn(await sendOrder(server(), mine.customer, offerBody(mine, terms)))['id'] ?? '');
    await advanceOrder(server(), mine, ids[2] ?? '', ['reject']);
    const list = async (query: string, agent = mine.contractor) => {
      const { status, body } = await server().request('GET', `/api/v1/orders${query}`, { token: agent.token });
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
    const stranger = await server().register('list_stranger');
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
    expectRefusal(await server().request('GET', `/api/v1/orders?${query}`, { token: pair.customer.token }), code);
  });
});

describe('an order of other agents', () => {
  it('is not found by any operation', async () => {
    const stranger = await server().register('foreign');
    const id = await makeOffer(server(), pair);
    const used = randomUUID();
    const other = await makeOrderParties(server());
    const own = orderIn(await sendOrder(server(), other.contractor, offerBody(other, { operation_id: used })));
    expect(own['state']).toBe('offered');

    const answers = [id, randomUUID()].map(async (order) => {
      const got = await server().request('GET', `/api/v1/orders/${order}`, { token: stranger.token });
      const tried = await sendAction(server(), stranger, order, 'cancel', { expected_version: 1 });
      const spent = await sendAction(server(), other.contractor, order, 'cancel', {
        expected_version: 1,
        operation_id: used,
      });
      return [got, tried, spent].map(({ status, body }) => ({ status, body }));
    });
    const [foreign, none] = await Promise.all(answers);
    expect(foreign).toEqual(none);
    for (const { status, body } of foreign ?? []) expect([status, body['error']?.['code']]).toEqual([404, 'not_found']);
  });

  it.each(['x', '123', `${randomUUID()}x`])('whose id is %j is invalid_id', async (id) => {
    expectRefusal(await server().request('GET', `/api/v1/orders/${id}`, { token: pair.customer.token }), 'invalid_id');
    expectRefusal(await sendAction(server(), pair.customer, id, 'cancel', { expected_version: 1 }), 'invalid_id');
  });

  it('and an unknown action are not found', async () => {
    const id = await makeOffer(server(), pair);
    for (const action of ['resume', 'Accept', 'accept/', '']) {
      expectRefusal(await sendAction(server(), pair.customer, id, action, { expected_version: 1 }), 'not_found');
    }
  });
});
