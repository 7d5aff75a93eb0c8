import { type Check, defineCheck, type Run } from '../../context/check.ts';
import { type Connection, eventsOf } from '../../context/events/connection.ts';
import { expect, isSameId, SkippedError } from '../../context/expectations.ts';
import { isObject, listStrings } from '../../context/json.ts';
import { ordersPath } from '../../context/paths.ts';
import { friendPair, grantCredits } from '../contacts/agent-pairs.ts';
import { byContractor, byCustomer, orderParties, type PartyAction } from '../orders/ordering.ts';
import { publishPost } from '../posts/publishing.ts';
import { expectEventKinds } from './event-delivery.ts';
import * as events from './listening.ts';
import { makeEndedOffer, makeTrackedOrder, type TrackedOrder } from './tracked-order.ts';

// As specified, a notification has no terms, amounts or files.
const absentMembers = [
  ...['title', 'description', 'deadline', 'amount_minor', 'fee_minor', 'total_minor', 'fee_bps', 'result_text'],
  ...['input_attachments', 'result_attachments'],
];

const toPayment: readonly PartyAction[] = [
  byCustomer('accept'),
  byContractor('start'),
  byContractor('deliver'),
  byCustomer('complete'),
];
const toRefund: readonly PartyAction[] = [
  byCustomer('accept'),
  byCustomer('dispute'),
  byContractor('propose-refund'),
  byCustomer('approve-refund'),
];
const rejection: readonly PartyAction[] = [byCustomer('reject')];

export const eventOrderChecks: readonly Check[] = [
  defineCheck(events.drainedFriends, {
    id: 'events.order-changed',
    covers: ['AP-EVENT-025', 'AP-EVENT-026', 'AP-EVENT-027', 'AP-EVENT-024'],
    rule: 'order.changed contains the order id and the status and version of the order, and no terms.',
    cost: { contactRequests: 1, writes: 5, sockets: 3, seconds: 1 },
    async judge({ alice, bob }, run) {
      const connections = [await events.listen(run, alice), await events.listen(run, bob)];
      const stranger = await events.listen(run, await run.freshAgent());
      const order = await makeEndedOffer(run, alice, bob, 'reject');
      // A refused command changes nothing, so it causes no event.
      const path = `${ordersPath}/${order.id}/cancel`;
      const late = {
        operation_id: run.random.uuid(),
        expected_version: Math.max(...[...order.states.keys()].map(Number)),
      };
      await run.precondition('AP-ORDER-050', async () => expect.refused(await alice.post(path, late)));
      const count = () => connections.flatMap((connection) => payloadsOf(connection, order)).length;
      // The specification does not state which party is notified of which change, so all notifications are checked.
      await events.waitUntil(connections, () => count() || undefined, run.stream.optionalMs);
      await run.clock.sleep(run.stream.silenceMs);
      for (const { frames, exchange } of connections)
        for (const { kind, payload } of eventsOf(frames)) {
          const hasId = isObject(payload) && typeof payload['order_id'] === 'string';
          expect(kind !== 'order.changed' || hasId, 'order.changed has no order_id', exchange);
        }
      if (count() === 0) throw new SkippedError('no party was notified of an offer or of its rejection');
      for (const connection of connections) await expectNotifications(run, connection, order);
      await run.requirement('AP-EVENT-024', () => events.expectNoEventWith(stranger, [order.id], 'a stranger'));
    },
  }),
  defineCheck(orderParties, {
    id: 'events.order-lifecycle',
    covers: ['AP-EVENT-014', 'AP-EVENT-025', 'AP-EVENT-026', 'AP-EVENT-027', 'AP-EVENT-018'],
    rule: 'Each order.changed has the status of its version, from the offer to the payment or the refund, and is repeated until its ack.',
    cost: { contactRequests: 1, writes: 19, creditsMinor: 100, sockets: 3, seconds: 1 },
    async judge(parties, run) {
      const { customer, contractor } = parties;
      await events.drainOnce(run, [customer, contractor]);
      await parties.fund(4, 2);
      const connections = [await events.listen(run, customer), await events.listen(run, contractor)];
      // Posts must not cause events.
      await publishPost(run, customer, { text: 'Only for myself.' });
      const orders = await Array.fromAsync([toPayment, toRefund, rejection], (turns) =>
        makeTrackedOrder(parties, turns),
      );
      const wasNotified = () => connections.some((one) => orders.every((order) => payloadsOf(one, order).length > 0));
      await events.waitUntil(connections, () => wasNotified() || undefined, run.stream.optionalMs);
      await run.clock.sleep(run.stream.silenceMs);
      for (const connection of connections) await expectEventKinds(run, connection);
      if (!wasNotified()) throw new SkippedError('no party was notified of orders');
      for (const connection of connections) {
        for (const order of orders) await expectNotifications(run, connection, order);
      }
      await Promise.all(connections.map((one) => one.close()));
      for (const [index, agent] of [customer, contractor].entries()) {
        const later = await events.listen(run, agent);
        const notifications = eventsOf(connections[index]?.frames ?? []).filter(({ kind }) => kind === 'order.changed');
        await run.requirement('AP-EVENT-018', async () => {
          for (const event of notifications) await events.expectRedelivery(run, later, event);
        });
        for (const order of orders) await expectNotifications(run, later, order);
        await expectEventKinds(run, later);
        await later.close();
        await events.drain(run, agent);
      }
    },
  }),
  defineCheck(friendPair, {
    id: 'events.top-up',
    covers: ['AP-EVENT-028'],
    rule: 'A grant of credits causes no event.',
    cost: { contactRequests: 1, writes: 3, messages: 1, creditsMinor: 1, sockets: 2, seconds: 1 },
    async judge({ alice: agent, bob }, run) {
      await events.drainOnce(run, [agent]);
      const connection = await events.listen(run, agent);
      await events.acknowledge(run, connection, (await events.sendAndReceive(run, connection, bob, agent)).id);
      const before = events.seenEventIds(run);
      await grantCredits(run, agent, 1);
      // A pending event would be delivered on the next connection.
      const later = await events.listen(run, agent);
      await run.clock.sleep(run.stream.silenceMs);
      for (const { frames, exchange } of [connection, later]) {
        // Other agents may request contacts at the same time.
        const isOwn = (kind: string) => kind !== 'contact.requested';
        const event = eventsOf(frames).find(({ id, kind }) => isOwn(kind) && !before.has(id.toLowerCase()));
        expect(event === undefined, `a grant caused ${event?.kind}`, exchange);
      }
    },
  }),
];

function payloadsOf({ frames }: Connection, { id }: TrackedOrder) {
  return eventsOf(frames)
    .flatMap(({ kind, payload }) => (kind === 'order.changed' && isObject(payload) ? [payload] : []))
    .filter((payload) => isSameId(payload['order_id'], id));
}

async function expectNotifications(run: Run, connection: Connection, order: TrackedOrder): Promise<void> {
  const { exchange } = connection;
  const payloads = payloadsOf(connection, order) as readonly Partial<Record<string, unknown>>[];
  await run.requirement('AP-EVENT-025', () => {
    for (const { version, status } of payloads) {
      const isVersion = order.states.has(version);
      expect(isVersion, `the order never had the version ${JSON.stringify(version)}`, exchange);
      expect(typeof status === 'string', 'order.changed has no status', exchange);
    }
  });
  await run.requirement('AP-EVENT-026', () => {
    for (const { version, status } of payloads) {
      const state = order.states.get(version);
      const isState = state === undefined || status === undefined || status === state;
      expect(isState, `the status is ${JSON.stringify(status)}, the state was "${state}"`, exchange);
    }
  });
  await run.requirement('AP-EVENT-027', () => {
    for (const payload of payloads) {
      for (const name of absentMembers) expect(!(name in payload), `the notification has "${name}"`, exchange);
      const hasTerms = listStrings(payload).some(({ text }) => text.includes(order.word));
      expect(!hasTerms, 'the notification contains the title or the description', exchange);
    }
  });
}
