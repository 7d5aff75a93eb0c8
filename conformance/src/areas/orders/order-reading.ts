import { type Check, defineCheck } from '../../context/check.ts';
import { expect, idsInList, isSameId } from '../../context/expectations.ts';
import { ordersPath, quotePath } from '../../context/paths.ts';
import { makeAccessCheck } from '../access-check.ts';
import { expectOwnPages, pageBoundsCheck, readPage } from '../paging.ts';
import { type OrderRole, orderActions } from './order-steps.ts';
import { orderParties, orderRoles } from './ordering.ts';

export const orderReadingChecks: readonly Check[] = [
  makeAccessCheck(
    {
      id: 'orders.access',
      covers: ['AP-ORDER-038'],
      rule: 'Without a token every order operation is 401.',
      cost: { writes: 4 },
    },
    async (run) => {
      const parties = await orderParties(run);
      const offer = await parties.offer('customer');
      const readable = [ordersPath, `${ordersPath}/${offer.id}`];
      const posts = {
        [quotePath]: { amount_minor: 4 },
        [ordersPath]: parties.terms('customer'),
        [offer.path('cancel')]: offer.body('cancel', 'customer'),
      };
      return {
        client: parties.customer,
        requests: {
          'AP-ORDER-038': [
            ...readable.map((path) => ({ path })),
            ...Object.entries(posts).map(([path, json]) => ({ method: 'POST', path, json }) as const),
          ],
        },
        readable,
      };
    },
  ),
  defineCheck(orderParties, {
    id: 'orders.strangers',
    covers: ['AP-ORDER-031'],
    rule: 'For other agents an order is 404, like an unknown order, on reads, on actions and on repeats of actions.',
    cost: { writes: 13 },
    async judge(parties, run) {
      const stranger = await parties.run.freshAgent();
      const offer = await parties.offer('customer');
      const unknownPath = `${ordersPath}/${run.random.uuid()}`;
      for (const role of orderRoles) expect.works(await offer.readAs(role));
      for (const path of [unknownPath, `${ordersPath}/${offer.id}`]) expect.notFound(await stranger.get(path));
      for (const action of orderActions) {
        expect.notFound(await stranger.post(offer.path(action), offer.body(action, 'customer')));
      }
      expect.notFound(await stranger.post(`${unknownPath}/cancel`, offer.body('cancel', 'customer')));
      expect.noRecord(await readPage(stranger, ordersPath), offer.id, 'the order of others');
      await offer.expectUnchanged();
      const done = offer.body('cancel', 'customer');
      expect.works(await parties.customer.post(offer.path('cancel'), done));
      // Another agent repeats the participant's command and must not receive the stored answer.
      expect.notFound(await stranger.post(offer.path('cancel'), done));
    },
  }),
  defineCheck(orderParties, {
    id: 'orders.list',
    covers: ['AP-ORDER-033', 'AP-ORDER-034'],
    rule: 'Both participants list their orders, newest first, whichever of them made the offer.',
    cost: { writes: 5 },
    async judge(parties, run) {
      const authors = ['customer', 'contractor', 'customer'] as const;
      const offers = await Array.fromAsync(authors, (author) => parties.offer(author));
      const ids = offers.map(({ id }) => id).toReversed();
      for (const role of orderRoles) {
        const list = await readPage(parties[role], ordersPath);
        await run.precondition('AP-ORDER-033', () => {
          for (const id of ids) expect.record(list, id, 'an order');
        });
        await run.requirement('AP-ORDER-034', () => expect.inOrder(list, ids, 'an order'));
      }
      await run.requirement('AP-ORDER-034', async () => {
        // A changed order must keep its position in the list.
        await offers[0]?.act('cancel', 'customer');
        expect.inOrder(await readPage(parties.customer, ordersPath), ids, 'an order');
      });
    },
  }),
  defineCheck(orderParties, {
    id: 'orders.list-state',
    covers: ['AP-ORDER-035'],
    rule: 'state filters the orders, on each page.',
    cost: { writes: 5 },
    async judge(parties) {
      const offered = await parties.offer('customer');
      const cancelled = await (await parties.offer('customer')).act('cancel', 'customer');
      const newest = await parties.offer('customer');
      const listState = (state: string, role: OrderRole, page = 'page_size=50') =>
        readPage(parties[role], ordersPath, `${page}&state=${state}`);
      for (const [page, { id }] of [newest, offered].entries()) {
        const list = await listState('offered', 'contractor', `page_size=1&page=${page + 1}`);
        expect(isSameId(idsInList(list)[0], id), `page ${page + 1} of a state has another order`, list);
      }
      for (const [state, order, other] of [
        ['offered', offered, cancelled],
        ['cancelled', cancelled, offered],
      ] as const) {
        for (const role of orderRoles) {
          const list = await listState(state, role);
          expect.record(list, order.id, `the order in state ${state}`);
          expect.noRecord(list, other.id, `an order in a state other than ${state}`);
        }
      }
      for (const state of ['funded', 'in_progress', 'rejected', 'disputed']) {
        for (const role of orderRoles) {
          const none = await listState(state, role);
          for (const { id } of [offered, cancelled]) expect.noRecord(none, id, `an order that is not ${state}`);
        }
      }
    },
  }),
  defineCheck(orderParties, {
    id: 'orders.pages',
    covers: ['AP-ORDER-036', 'AP-ORDER-037'],
    rule: 'A page has 20 orders or page_size orders, and the next page continues.',
    cost: { writes: 22 },
    async judge(parties, run) {
      const there = expect.list(await readPage(parties.customer, ordersPath)).length;
      for (let count = there; count < 21; count += 1) await parties.offer('customer');
      const read = (query: string) => readPage(parties.customer, ordersPath, query);
      const list = await read('page_size=50');
      const newest = idsInList(list).slice(0, 21).map(String);
      await expectOwnPages(run, read, newest, { page: 'AP-ORDER-036', pageSize: 'AP-ORDER-037' });
      // At least two of 21 orders have the same state, so `state` is undefined only if the list shows no states.
      const states = expect.list(list).map(({ state }) => state);
      const state = states.find((one, at) => states.indexOf(one) < at);
      if (typeof state !== 'string') return;
      await run.requirement('AP-ORDER-036', async () => {
        const readOne = (page: number) => read(`state=${state}&page_size=1&page=${page}`);
        const [first, second] = [await readOne(1), await readOne(2)];
        const isOther = String(idsInList(first)) !== String(idsInList(second));
        expect(isOther, `the first two orders in state ${state} are the same`, second);
      });
    },
  }),
  pageBoundsCheck('orders', ordersPath, { page: 'AP-ORDER-036', pageSize: 'AP-ORDER-037', maxPage: 1000 }),
];
