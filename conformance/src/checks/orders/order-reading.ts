import { randomUUID } from 'node:crypto';
import type { Check } from '../../context/check.ts';
import { codeOf, expect, expectRefusal, expectStatus } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { ordersPath, quotePath } from '../../context/paths.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import { expectList, expectNoRecord, expectRecord } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import type { ApiRequest } from '../../context/send.ts';
import { orderActions } from '../../fixtures/orders/order-steps.ts';
import {
  act,
  bodyOf,
  expectUnchanged,
  makeOffer,
  orderParties,
  postAction,
  readOrder,
  termsOf,
} from '../../fixtures/orders/ordering.ts';
import { malformedCodes } from '../transport/errors.ts';
import { fillOrders } from './order-filling.ts';

/** Who sees which orders. */
export const orderReadingChecks: readonly Check[] = [
  {
    id: 'orders.access',
    covers: ['AP-ORDER-038'],
    rule: 'Without a token every order operation is 401.',
    cost: { writes: 4 },
    async judge(run) {
      const market = await orderParties(run);
      const offer = await makeOffer(run, market, 'customer');
      const path = `${ordersPath}/${offer.id}`;
      const guarded: readonly ApiRequest[] = [
        { path: ordersPath },
        { path },
        { method: 'POST', path: quotePath, json: { amount_minor: 4 } },
        { method: 'POST', path: ordersPath, json: termsOf(market, 'customer') },
        { method: 'POST', path: `${path}/cancel`, json: bodyOf('cancel', 'customer', offer) },
      ];
      for (const question of guarded) expectRefusal(await run.send(question), 401, 'unauthorized');
      for (const known of [ordersPath, path]) {
        expectStatus(await run.send({ path: known, token: market.customer.token }), 200);
      }
      await expectUnchanged(run, market, offer);
    },
  },
  {
    id: 'orders.strangers',
    covers: ['AP-ORDER-031'],
    rule: 'For other agents an order is 404, like an unknown order, on reads and on actions.',
    cost: { writes: 12 },
    async judge(run) {
      const market = await orderParties(run);
      const stranger = await run.freshAgent();
      const offer = await makeOffer(run, market, 'customer');
      const never = { ...offer, id: randomUUID() };
      expectRefusal(await readOrder(run, stranger, never.id), 404, 'not_found');
      expectRefusal(await readOrder(run, stranger, offer.id), 404, 'not_found');
      for (const action of orderActions) {
        const answer = await postAction(run, stranger, offer.id, action, bodyOf(action, 'customer', offer));
        expectRefusal(answer, 404, 'not_found');
      }
      const absent = await postAction(run, stranger, never.id, 'cancel', bodyOf('cancel', 'customer', never));
      expectRefusal(absent, 404, 'not_found');
      expectNoRecord(await listOrders(run, stranger, 'page_size=50'), offer.id, 'the order of others');
      await expectUnchanged(run, market, offer);
      await act(run, market, offer, 'cancel', 'customer');
    },
  },
  {
    id: 'orders.list',
    covers: ['AP-ORDER-033', 'AP-ORDER-034'],
    rule: 'Both participants list their orders, newest first, whichever of them made the offer.',
    cost: { writes: 4 },
    async judge(run) {
      const market = await orderParties(run);
      const [one, two, three] = [
        await makeOffer(run, market, 'customer'),
        await makeOffer(run, market, 'contractor'),
        await makeOffer(run, market, 'customer'),
      ];
      for (const reader of [market.customer, market.contractor]) {
        const list = await listOrders(run, reader, 'page_size=50');
        const ids = expectList(list).map(({ id }) => String(id).toLowerCase());
        const places = [three, two, one].map(({ id }) => ids.indexOf(id.toLowerCase()));
        expect(!places.includes(-1), 'an order that was just created is missing', list);
        const isNewestFirst = places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0));
        expect(isNewestFirst, 'the orders are not sorted newest first', list);
      }
    },
  },
  {
    id: 'orders.list-state',
    covers: ['AP-ORDER-035'],
    rule: 'state filters the orders.',
    cost: { writes: 4 },
    async judge(run) {
      const market = await orderParties(run);
      const offered = await makeOffer(run, market, 'customer');
      const cancelled = await act(run, market, await makeOffer(run, market, 'customer'), 'cancel', 'customer');
      for (const [state, there, elsewhere] of [
        ['offered', offered, cancelled] as const,
        ['cancelled', cancelled, offered] as const,
      ]) {
        const list = await listOrders(run, market.contractor, `page_size=50&state=${state}`);
        expectRecord(list, there.id, `the order that is ${state}`);
        expectNoRecord(list, elsewhere.id, `the order that is not ${state}`);
      }
      const none = await listOrders(run, market.contractor, 'page_size=50&state=in_progress');
      for (const { id } of [offered, cancelled]) expectNoRecord(none, id, 'an order that is not in progress');
    },
  },
  {
    id: 'orders.pages',
    covers: ['AP-ORDER-036', 'AP-ORDER-037'],
    rule: 'A page has 20 orders or page_size orders, and the next page continues.',
    cost: { writes: 22 },
    async judge(run) {
      const market = await orderParties(run);
      await fillOrders(run, market, 21);
      const ids = async (query: string) =>
        expectList(await listOrders(run, market.customer, query)).map(({ id }) => id);
      const whole = await listOrders(run, market.customer, 'page_size=50');
      const all = expectList(whole).map(({ id }) => id);
      const expected: readonly [query: string, ids: readonly unknown[]][] = [
        ['', all.slice(0, 20)],
        ['page=1', all.slice(0, 20)],
        ['page=2&page_size=3', all.slice(3, 6)],
        ['page=1&page_size=1', all.slice(0, 1)],
      ];
      for (const [query, wanted] of expected) {
        expect(String(await ids(query)) === String(wanted), `?${query} does not contain the expected entries`, whole);
      }
    },
  },
  {
    id: 'orders.page-bounds',
    covers: ['AP-ORDER-036', 'AP-ORDER-037'],
    rule: 'page goes from 1 to 1000 and page_size from 1 to 50; any other value is a malformed request.',
    async judge(run) {
      const agent = await run.primaryAgent();
      for (const query of ['page=1000', 'page_size=50', 'page_size=1']) await listOrders(run, agent, query);
      for (const query of ['page=0', 'page=1001', 'page=-1', 'page=1.5', 'page=x', 'page_size=0', 'page_size=51']) {
        const answer = await run.send({ path: `${ordersPath}?${query}`, token: agent.token });
        expect(answer.status === 400, `?${query} was answered ${answer.status} ${codeOf(answer)}`, answer);
        expectRefusal(answer, 400, ...malformedCodes);
      }
    },
  },
];

async function listOrders(run: Run, { token }: PoolAgent, query: string): Promise<Exchange> {
  const answer = await run.send({ path: query === '' ? ordersPath : `${ordersPath}?${query}`, token });
  expectStatus(answer, 200);
  expectList(answer);
  return answer;
}
