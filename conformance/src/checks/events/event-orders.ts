import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from '../../context/check.ts';
import type { Connection } from '../../context/events/connection.ts';
import { eventsOf } from '../../context/events/frames.ts';
import { expect, isSameId, Skipped } from '../../context/expectations.ts';
import { isObject, textsOf } from '../../context/json.ts';
import { friendPair, grantCredits } from '../../fixtures/contacts/agent-pairs.ts';
import * as events from '../../fixtures/events/listening.ts';
import { endedOffer, type TrackedOrder } from '../../fixtures/events/tracked-order.ts';
import { given } from '../given.ts';

// Stated: a notification has no terms, amounts or files.
const absentMembers = [
  ...['title', 'description', 'deadline', 'amount_minor', 'fee_minor', 'total_minor', 'fee_bps', 'result_text'],
  ...['input_attachments', 'result_attachments'],
];

/** Notifications of orders, and of credits. */
export const eventOrderChecks: readonly Check[] = [
  given(events.settledFriends, {
    id: 'events.order-changed',
    covers: ['AP-EVENT-025', 'AP-EVENT-026', 'AP-EVENT-027'],
    rule: 'order.changed contains the order id and the status and version of the order, and no terms.',
    cost: { contactRequests: 1, writes: 4, sockets: 3, seconds: 1 },
    async judge({ one, other }, run) {
      const connections = [await events.listen(run, one), await events.listen(run, other)];
      const stranger = await events.listen(run, await run.freshAgent());
      const order = await endedOffer(run, one, other, 'reject');
      const count = () => connections.flatMap((connection) => payloadsOf(connection, order)).length;
      // Which party is notified of which change is not stated; all notifications are checked.
      await Promise.race(connections.map((one) => one.until(() => count() || undefined, run.stream.optionalMs)));
      await sleep(events.silenceMs);
      for (const connection of connections) expectNotifications(connection, order);
      expect(payloadsOf(stranger, order).length === 0, 'a stranger was notified of an order', stranger.exchange);
      if (count() === 0) throw new Skipped('no party was notified of an offer or of its rejection');
    },
  }),
  given(friendPair, {
    id: 'events.top-up',
    covers: ['AP-EVENT-028'],
    rule: 'A grant of credits causes no event.',
    cost: { contactRequests: 1, writes: 3, messages: 1, creditsMinor: 1, sockets: 2, seconds: 1 },
    async judge({ one: agent, other }, run) {
      await events.settle(run, [agent]);
      const connection = await events.listen(run, agent);
      await events.acknowledge(run, connection, (await events.receive(run, connection, other, agent)).id);
      const before = events.soFar(run);
      await grantCredits(run, agent, 1);
      // A waiting event would come with the next connection.
      const later = await events.listen(run, agent);
      await sleep(events.silenceMs);
      for (const { frames, exchange } of [connection, later]) {
        const event = eventsOf(frames).find(({ id }) => !before.has(id.toLowerCase()));
        expect(event === undefined, `a grant caused ${event?.kind}`, exchange);
      }
    },
  }),
];

/** The payloads of the notifications of an order. */
function payloadsOf({ frames }: Connection, { id }: TrackedOrder) {
  return eventsOf(frames)
    .flatMap(({ kind, payload }) => (kind === 'order.changed' && isObject(payload) ? [payload] : []))
    .filter((payload) => isSameId(payload['order_id'], id));
}

function expectNotifications(connection: Connection, order: TrackedOrder): void {
  const { frames, exchange } = connection;
  for (const { kind, payload } of eventsOf(frames)) {
    if (kind !== 'order.changed') continue;
    expect(isObject(payload) && typeof payload['order_id'] === 'string', 'order.changed has no order_id', exchange);
  }
  for (const payload of payloadsOf(connection, order)) {
    const { version, status } = payload as { readonly version?: unknown; readonly status?: unknown };
    const state = order.states.get(version);
    expect(state !== undefined, `the order never had the version ${JSON.stringify(version)}`, exchange);
    expect(status === state, `the status is ${JSON.stringify(status)}, the state was "${state}"`, exchange);
    for (const name of absentMembers) expect(!(name in payload), `the notification has "${name}"`, exchange);
    const hasTerms = textsOf(payload).some(({ text }) => text.includes(order.word));
    expect(!hasTerms, 'the notification has the title or the description', exchange);
  }
}
