import { type Check, defineCheck } from '../../context/check.ts';
import { expect, idsInList, isSameId, SkippedError } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import type { JsonObject } from '../../context/json.ts';
import { ordersPath } from '../../context/paths.ts';
import { relationBetween } from '../contacts/agent-pairs.ts';
import { readPage } from '../paging.ts';
import { expiringOffer } from './deadlines.ts';
import { startLedgerCheck } from './ledger-check.ts';
import type { OrderRole } from './order-steps.ts';
import {
  daysFromNow,
  expectOrder,
  findLargestAmount,
  Order,
  type OrderParties,
  orderParties,
  orderRoles,
  priceOf,
} from './ordering.ts';

export const offerChecks: readonly Check[] = [
  defineCheck(orderParties, {
    id: 'offers.made',
    covers: [
      'AP-ORDER-010',
      'AP-ORDER-011',
      'AP-ORDER-019',
      'AP-ORDER-020',
      'AP-ORDER-030',
      'AP-TRANSPORT-004',
      'AP-WALLET-014',
    ],
    rule: 'Either of two friends can make an offer; the order matches the request and its price, both can read it, and nothing is reserved.',
    // Includes the cost of making friends before the first order of a run.
    cost: { writes: 6, contactRequests: 1 },
    fixtures: [expiringOffer],
    async judge(parties, run) {
      await expiringOffer(run);
      for (const [author, amountMinor] of [
        ['customer', 4],
        ['contractor', 5],
        ['customer', 15],
      ] as const) {
        const ledger = await startLedgerCheck(parties);
        const sent = { ...parties.terms(author, amountMinor), deadline: inAnotherZone(daysFromNow(run, 1)) };
        const made = await parties[author].post(ordersPath, sent);
        await run.precondition('AP-ORDER-010', () => expect.status(made, 201));
        const order = new Order(parties, author, made);
        const reads = [expect.works(await order.readAs('customer')), expect.works(await order.readAs('contractor'))];
        await expectAsSent([made, ...reads], sent, parties);
        await run.requirement('AP-ORDER-030', () => {
          const versions = [made, ...reads].map((exchange) => order.after(exchange).version);
          expect(new Set(versions).size === 1, `the versions are ${versions.join(', ')}`, made);
          for (const read of reads) {
            const { events } = expect.object(read) as { readonly events?: unknown };
            expect(Array.isArray(events), '"events" is not a list', read);
          }
        });
        await run.requirement('AP-ORDER-020', () => ledger.expectChange());
        await ledger.expectEntries();
      }
    },
  }),
  defineCheck(orderParties, {
    id: 'offers.texts',
    covers: ['AP-ORDER-014', 'AP-ORDER-015'],
    rule: 'A title of 160 characters and a description of 8000 are stored; longer values are refused.',
    cost: { writes: 6 },
    async judge(parties, run) {
      for (const [name, text, requirement] of [
        ['title', `${'Ü'.repeat(159)}<`, 'AP-ORDER-014'],
        ['description', `${'É<'.repeat(3999)}\nd`, 'AP-ORDER-015'],
      ] as const) {
        const made = await parties.postOffer('customer', { [name]: text });
        await run.requirement(requirement, async () => {
          const order = expectOrder(made, 201);
          expect.member(order, name, text, made);
          const read = await parties.contractor.get(`${ordersPath}/${String(order['id'])}`);
          expect.member(expectOrder(read, 200), name, text, read);
          const list = await readPage(parties.contractor, ordersPath);
          const listed = await run.precondition('AP-ORDER-033', () =>
            expect.record(list, String(order['id']), 'the order'),
          );
          // A list may omit these members: the specification does not state which ones it shows.
          if (name in listed) expect.member(listed, name, text, list);
          for (const wrong of [`${text}x`, 7]) await expectInvalid(parties, 'customer', { [name]: wrong });
        });
      }
    },
  }),
  invalidOffer('deadline', 'AP-ORDER-016', 'A deadline is in the future and has a time zone.', 4, ({ run }) => [
    { deadline: daysFromNow(run, -1) },
    { deadline: daysFromNow(run, 1).replace('Z', '') },
    { deadline: 'soon' },
    { deadline: Date.parse(daysFromNow(run, 1)) },
  ]),
  invalidOffer('amount', 'AP-ORDER-017', 'An amount is an integer with a whole price up to 10^12.', 7, ({ feeBps }) => {
    const beyond = findLargestAmount(1_000_000_000_000, feeBps) + 1;
    return ['4', true, 4.5, null, [4], undefined, beyond].map((amount) => ({ amount_minor: amount }));
  }),
  invalidOffer('operation-id', 'AP-ORDER-013', 'An offer has an operation_id that is a UUID.', 3, () =>
    [undefined, 'no-uuid', 7].map((id) => ({ operation_id: id })),
  ),
  invalidOffer('counterpart', 'AP-ORDER-012', 'An offer names exactly one party.', 3, (parties) => {
    const { customer, contractor, feeBps } = parties;
    // Each of these offers would be valid with exactly one id, that of the other party.
    const confirmed = { confirmed_total_minor: priceOf(4, feeBps).totalMinor };
    return [
      { customer_id: undefined },
      { customer_id: customer.id, contractor_id: contractor.id },
      { customer_id: customer.id, contractor_id: customer.id, ...confirmed },
    ];
  }),
  defineCheck(orderParties, {
    id: 'offers.confirmation',
    covers: ['AP-ORDER-018'],
    rule: 'A customer confirms the total: without it the offer is refused, with another total it is price_changed.',
    cost: { writes: 6 },
    async judge(parties) {
      const { totalMinor } = priceOf(15, parties.feeBps);
      const offer = (confirmed: unknown) =>
        parties.postOffer('customer', { amount_minor: 15, confirmed_total_minor: confirmed });
      expect.works(await offer(totalMinor), 201);
      expect.refused(await offer(undefined), 'invalid_input', 'price_changed');
      expect.refusal(await offer(String(totalMinor)), 400, 'invalid_input');
      for (const other of [totalMinor - 1, totalMinor + 1]) expect.refusal(await offer(other), 409, 'price_changed');
    },
  }),
  defineCheck(orderParties, {
    id: 'offers.friendship',
    covers: ['AP-ORDER-021'],
    rule: 'An order requires a friendship; otherwise it is 403 friendship_required.',
    cost: { writes: 4 },
    async judge(parties, run) {
      const fresh = await run.freshAgent();
      const role = orderRoles.find((one) => relationBetween(run, { alice: fresh, bob: parties[one] }) !== 'friends');
      if (role === undefined)
        throw new SkippedError('the new agent is a friend of every other agent: run the suite again');
      await parties.offer('customer');
      const { contractor_id: _, ...terms } = parties.terms('customer');
      for (const [author, contractor] of [
        [fresh, parties[role]],
        [parties[role], fresh],
      ] as const) {
        const offer = { ...terms, operation_id: run.random.uuid(), contractor_id: contractor.id };
        expect.refusal(await author.post(ordersPath, offer), 403, 'friendship_required');
      }
    },
  }),
  defineCheck(orderParties, {
    id: 'offers.repeated',
    covers: ['AP-ORDER-023', 'AP-ORDER-024'],
    rule: 'An identical offer is 200 with the same order; with any change it is 409 idempotency_conflict.',
    cost: { writes: 9 },
    async judge(parties, run) {
      const terms = parties.terms('contractor', 5);
      const made = expect.works(await parties.contractor.post(ordersPath, terms), 201);
      const order = new Order(parties, 'contractor', made);
      const listed = async () => {
        const list = await readPage(parties.contractor, ordersPath);
        await run.precondition('AP-ORDER-033', () => expect.record(list, order.id, 'the order'));
        const newer = idsInList(list).findIndex((id) => isSameId(id, order.id));
        expect(newer === 0, `the list has ${newer} newer orders`, list);
      };
      const repeat = await parties.contractor.post(ordersPath, terms);
      await run.precondition('AP-ORDER-023', async () => {
        expect(isSameId(expectOrder(repeat, 200)['id'], order.id), 'the answer contains a different order', repeat);
        await listed();
      });
      const otherRole = { contractor_id: parties.customer.id, confirmed_total_minor: order.price.totalMinor };
      await run.requirement('AP-ORDER-024', async () => {
        for (const change of [
          { title: 'Another picture' },
          { description: 'Of a house.' },
          { deadline: daysFromNow(parties.run, 2) },
          { amount_minor: 6 },
          { customer_id: undefined, ...otherRole },
        ]) {
          const answer = await parties.contractor.post(ordersPath, { ...terms, ...change });
          expect.refusal(answer, 409, 'idempotency_conflict');
        }
        await order.expectUnchanged();
        await listed();
      });
    },
  }),
];

function inAnotherZone(time: string): string {
  return new Date(Date.parse(time) + 5.5 * 3_600_000).toISOString().replace('Z', '+05:30');
}

async function expectAsSent(answers: readonly Exchange[], sent: JsonObject, parties: OrderParties): Promise<void> {
  const { title, description, amount_minor } = sent;
  for (const exchange of answers) {
    const order = expectOrder(exchange);
    await parties.run.requirement('AP-ORDER-010', () => {
      expect.members(order, { title, description, state: 'offered', amount_minor }, exchange);
      const deadline = Date.parse(String(order['deadline']));
      const isStored = Math.abs(deadline - Date.parse(String(sent['deadline']))) < 1_000;
      expect(isStored, `the deadline is ${String(order['deadline'])}`, exchange);
      for (const set of ['input_attachments', 'result_attachments']) {
        const files = order[set];
        expect(Array.isArray(files) && files.length === 0, `"${set}" is not an empty list`, exchange);
      }
    });
    await parties.run.requirement('AP-ORDER-011', () => parties.expectIn(order, exchange));
    const isPriced = await parties.run.requirement('AP-TRANSPORT-004', () => {
      for (const name of ['amount_minor', 'fee_minor', 'total_minor']) expect.integer(order, name, exchange);
      return true;
    });
    if (isPriced === undefined) continue;
    await parties.run.requirement('AP-ORDER-019', () => {
      const bps = expect.integer(order, 'fee_bps', exchange);
      const { feeMinor, totalMinor } = priceOf(Number(amount_minor), bps);
      expect(bps === parties.feeBps, `fee_bps is ${bps} and was quoted as ${parties.feeBps}`, exchange);
      expect.members(order, { fee_minor: feeMinor, total_minor: totalMinor, fee_mode: 'on_top' }, exchange);
    });
  }
}

/** Expects a valid offer to succeed first. The contractor makes all offers, because it confirms no total. */
function invalidOffer(
  what: string,
  requirement: string,
  rule: string,
  count: number,
  changes: (parties: OrderParties) => readonly object[],
): Check {
  return defineCheck(orderParties, {
    id: `offers.${what}`,
    covers: [requirement],
    rule: `${rule} Any other value is refused with invalid_input.`,
    cost: { writes: 1 + count },
    async judge(parties) {
      await parties.offer('contractor');
      for (const change of changes(parties)) await expectInvalid(parties, 'contractor', change);
    },
  });
}

async function expectInvalid(parties: OrderParties, author: OrderRole, change: object): Promise<void> {
  expect.refusal(await parties.postOffer(author, change), 400, 'invalid_input');
}
