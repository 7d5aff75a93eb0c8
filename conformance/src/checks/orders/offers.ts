import { randomUUID } from 'node:crypto';
import type { Check } from '../../context/check.ts';
import { codeOf, expect, expectMember, expectRefusal, expectStatus, Skipped } from '../../context/expectations.ts';
import type { JsonObject } from '../../context/json.ts';
import { ordersPath } from '../../context/paths.ts';
import { expectList, isSameId } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import { relationBetween } from '../../fixtures/contacts/leases.ts';
import { openLedgerCheck } from '../../fixtures/orders/ledger-check.ts';
import type { Role } from '../../fixtures/orders/order-steps.ts';
import {
  expectInteger,
  expectOrder,
  expectParticipants,
  expectUnchanged,
  largestAmount,
  type OrderParties,
  orderOf,
  orderParties,
  postOrder,
  priceOf,
  readOrder,
  termsOf,
} from '../../fixtures/orders/ordering.ts';
import { openExpiringOffer } from './deadlines.ts';

const dayMs = 86_400_000;

/** Making offers, and what is no offer. */
export const offerChecks: readonly Check[] = [
  {
    id: 'offers.made',
    covers: ['AP-ORDER-010', 'AP-ORDER-011', 'AP-ORDER-019', 'AP-ORDER-020', 'AP-ORDER-030', 'AP-TRANSPORT-004'],
    rule: 'Either of two friends can make an offer; the order matches the request and its price, both can read it, and nothing is reserved.',
    // The first of all orders: for it two agents become friends.
    cost: { writes: 7, contactRequests: 1 },
    async judge(run) {
      const market = await orderParties(run);
      await openExpiringOffer(run, market);
      for (const [author, amountMinor] of [
        ['customer', 4] as const,
        ['contractor', 5] as const,
        ['customer', 15] as const,
      ]) {
        const books = await openLedgerCheck(run, market);
        const sent = termsOf(market, author, amountMinor);
        const made = await postOrder(run, market[author], sent);
        expectStatus(made, 201);
        const id = String(expectOrder(made)['id']);
        const reads = [await readOrder(run, market.customer, id), await readOrder(run, market.contractor, id)];
        for (const seen of [made, ...reads]) demandAsSent(seen, sent, market);
        const versions = [made, ...reads].map((seen) => orderOf(seen, author).version);
        expect(new Set(versions).size === 1, `the versions are ${versions.join(', ')}`, made);
        await books.expectChange({});
        await books.expectEntries();
      }
    },
  },
  {
    id: 'offers.texts',
    covers: ['AP-ORDER-014', 'AP-ORDER-015'],
    rule: 'A title of 160 characters and a description of 8000 are stored; longer values are refused.',
    cost: { writes: 6 },
    async judge(run) {
      const market = await orderParties(run);
      const longest = { title: 't'.repeat(160), description: 'd'.repeat(8000) };
      const made = await postOrder(run, market.customer, { ...termsOf(market, 'customer'), ...longest });
      expectStatus(made, 201);
      for (const [name, text] of Object.entries(longest)) expectMember(expectOrder(made), name, text, made);
      await refuses(run, market, [
        { title: `${longest.title}t` },
        { title: 7 },
        { description: `${longest.description}d` },
        { description: 7 },
      ]);
    },
  },
  malformedOffer('deadline', 'AP-ORDER-016', 'A deadline is in the future and has a time zone.', 4, () => [
    { deadline: new Date(Date.now() - dayMs).toISOString() },
    { deadline: new Date(Date.now() + dayMs).toISOString().replace('Z', '') },
    { deadline: 'soon' },
    { deadline: Date.now() + dayMs },
  ]),
  malformedOffer(
    'amount',
    'AP-ORDER-017',
    'An amount is an integer with a total of at most 10^12.',
    7,
    ({ feeBps }) => {
      // As a contractor: what a customer confirms would be another thing that is wrong.
      const beyond = largestAmount(1_000_000_000_000, feeBps) + 1;
      return ['4', true, 4.5, null, [4], undefined, beyond].map((amount) => ({ amount_minor: amount }));
    },
  ),
  malformedOffer('operation-id', 'AP-ORDER-013', 'An offer requires an operation_id, a UUID.', 3, () => [
    { operation_id: undefined },
    { operation_id: 'no-uuid' },
    { operation_id: 7 },
  ]),
  malformedOffer(
    'counterpart',
    'AP-ORDER-012',
    'An offer names exactly one of contractor_id and customer_id.',
    2,
    ({ customer, contractor }) => [
      { customer_id: undefined },
      { customer_id: customer.id, contractor_id: contractor.id },
    ],
  ),
  {
    id: 'offers.confirmation',
    covers: ['AP-ORDER-018'],
    rule: 'A customer confirms the total: without it the offer is invalid_input, with another total price_changed.',
    cost: { writes: 6 },
    async judge(run) {
      const market = await orderParties(run);
      const terms = () => termsOf(market, 'customer', 15);
      const { totalMinor } = priceOf(15, market.feeBps);
      expectStatus(await postOrder(run, market.customer, terms()), 201);
      const { confirmed_total_minor: _, ...unconfirmed } = terms();
      expectRefusal(await postOrder(run, market.customer, unconfirmed), 400, 'invalid_input');
      const asText = { ...terms(), confirmed_total_minor: String(totalMinor) };
      expectRefusal(await postOrder(run, market.customer, asText), 400, 'invalid_input');
      for (const confirmed of [totalMinor - 1, totalMinor + 1]) {
        const other = { ...terms(), confirmed_total_minor: confirmed };
        expectRefusal(await postOrder(run, market.customer, other), 409, 'price_changed');
      }
    },
  },
  {
    id: 'offers.friendship',
    covers: ['AP-ORDER-021'],
    rule: 'An order requires a friendship; otherwise it is 403 friendship_required.',
    cost: { writes: 4 },
    async judge(run) {
      const market = await orderParties(run);
      const newcomer = await run.freshAgent();
      const isStrange = (role: Role) => relationBetween(run, { one: newcomer, other: market[role] }) !== 'friends';
      const role = (['customer', 'contractor'] as const).find(isStrange);
      if (role === undefined)
        throw new Skipped('the newcomer of this run is a friend of every agent: run the suite again');
      const { contractor_id: _, ...terms } = termsOf(market, 'customer');
      for (const [author, counterpart, status] of [
        [market.customer, market.contractor, 201],
        [newcomer, market[role], 403],
        [market[role], newcomer, 403],
      ] as const) {
        const sent = { ...terms, operation_id: randomUUID(), contractor_id: counterpart.id };
        const answer = await postOrder(run, author, sent);
        if (status === 201) expectStatus(answer, 201);
        else expectRefusal(answer, 403, 'friendship_required');
      }
    },
  },
  {
    id: 'offers.repeated',
    covers: ['AP-ORDER-023', 'AP-ORDER-024'],
    rule: 'An identical offer is 200 with the same order; with any change it is 409 idempotency_conflict.',
    cost: { writes: 9 },
    async judge(run) {
      const market = await orderParties(run);
      const terms = termsOf(market, 'contractor', 5);
      const made = await postOrder(run, market.contractor, terms);
      expectStatus(made, 201);
      const order = orderOf(made, 'contractor');
      const again = await postOrder(run, market.contractor, terms);
      expectStatus(again, 200);
      expect(isSameId(expectOrder(again)['id'], order.id), 'the answer contains another order', again);
      const changes: readonly JsonObject[] = [
        { title: 'Another picture' },
        { description: 'Of a house.' },
        { deadline: new Date(Date.now() + 2 * dayMs).toISOString() },
        { amount_minor: 6 },
        { customer_id: undefined, contractor_id: market.customer.id, confirmed_total_minor: order.price.totalMinor },
      ];
      for (const change of changes) {
        const answer = await postOrder(run, market.contractor, { ...terms, ...change });
        const what = Object.keys(change).join(' and ');
        expect(
          codeOf(answer) === 'idempotency_conflict',
          `another ${what}: ${answer.status} ${codeOf(answer)}`,
          answer,
        );
        expectStatus(answer, 409);
      }
      await expectUnchanged(run, market, order);
      const list = await run.send({ path: `${ordersPath}?page_size=50`, token: market.contractor.token });
      const newer = expectList(list).findIndex(({ id }) => isSameId(id, order.id));
      expect(newer === 0, `the order has ${newer} newer ones in the list`, list);
    },
  },
];

function demandAsSent(exchange: Parameters<typeof expectOrder>[0], sent: JsonObject, market: OrderParties): void {
  const order = expectOrder(exchange);
  for (const name of ['title', 'description', 'amount_minor']) expectMember(order, name, sent[name], exchange);
  expectMember(order, 'state', 'offered', exchange);
  const deadline = Date.parse(String(order['deadline']));
  const isKept = Math.abs(deadline - Date.parse(String(sent['deadline']))) < 1_000;
  expect(isKept, `the deadline is ${String(order['deadline'])}`, exchange);
  const bps = expectInteger(order, 'fee_bps', exchange);
  const { feeMinor, totalMinor } = priceOf(Number(sent['amount_minor']), bps);
  expect(bps === market.feeBps, `fee_bps is ${bps} and was quoted as ${market.feeBps}`, exchange);
  expectMember(order, 'fee_minor', feeMinor, exchange);
  expectMember(order, 'total_minor', totalMinor, exchange);
  expectMember(order, 'fee_mode', 'on_top', exchange);
  for (const set of ['input_attachments', 'result_attachments']) {
    const files = order[set];
    expect(Array.isArray(files) && files.length === 0, `"${set}" is not an empty list`, exchange);
  }
  expectInteger(order, 'version', exchange);
  expectParticipants(order, market, exchange);
}

/** Offers of the contractor with something wrong, beside one with nothing wrong. */
function malformedOffer(
  what: string,
  requirement: string,
  rule: string,
  count: number,
  changes: (market: OrderParties) => readonly JsonObject[],
): Check {
  return {
    id: `offers.${what}`,
    covers: [requirement],
    rule: `${rule} Any other value is refused with invalid_input.`,
    cost: { writes: 1 + count },
    async judge(run) {
      const market = await orderParties(run);
      const twin = await postOrder(run, market.contractor, termsOf(market, 'contractor'));
      expectStatus(twin, 201);
      expectOrder(twin);
      for (const change of changes(market)) {
        const answer = await postOrder(run, market.contractor, { ...termsOf(market, 'contractor'), ...change });
        expectRefusal(answer, 400, 'invalid_input');
      }
    },
  };
}

async function refuses(run: Run, market: OrderParties, changes: readonly JsonObject[]): Promise<void> {
  for (const change of changes) {
    const answer = await postOrder(run, market.customer, { ...termsOf(market, 'customer'), ...change });
    expectRefusal(answer, 400, 'invalid_input');
  }
}
