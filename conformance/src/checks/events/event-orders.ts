import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from '../../context/check.ts';
import type { Connection } from '../../context/events/connection.ts';
import { eventsOf } from '../../context/events/frames.ts';
import { expect, expectObject, expectStatus, Skipped } from '../../context/expectations.ts';
import { isObject, textsOf } from '../../context/json.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import { isSameId } from '../../context/records.ts';
import type { Run } from '../../context/run.ts';
import { friendPair } from '../../fixtures/contacts/leases.ts';
import { offerOrder, rejectOrder, sendRandomMessage, type TrackedOrder } from '../../fixtures/events/causes.ts';
import {
  acknowledge,
  eventsSoFar,
  expectNewEvent,
  listen,
  settle,
  silenceMs,
} from '../../fixtures/events/listening.ts';

// Stated: terms, amounts and files are not sent in the notification.
const unsaid = [
  ...['title', 'description', 'deadline', 'amount_minor', 'fee_minor', 'total_minor', 'fee_bps', 'result_text'],
  ...['input_attachments', 'result_attachments'],
];

/** What is told of orders, and what is not told of wallets. */
export const eventOrderChecks: readonly Check[] = [
  {
    id: 'events.order-changed',
    covers: ['AP-EVENT-025', 'AP-EVENT-026', 'AP-EVENT-027'],
    rule: 'order.changed contains the order id and the status and version of the order, and no terms.',
    needs: ['stream'],
    cost: { contactRequests: 1, writes: 4, sockets: 3, seconds: 1 },
    async judge(run) {
      const { one, other } = await friendPair(run);
      await settle(run, [one, other]);
      const connections = [await listen(run, one), await listen(run, other)];
      const stranger = await listen(run, await run.freshAgent());
      const order = await offerOrder(run, one, other);
      await rejectOrder(run, other, order);
      const count = () => connections.flatMap((connection) => payloadsOf(connection, order)).length;
      // Who hears of which change is left open; what comes within the silence is judged.
      await Promise.race(connections.map((one) => one.until(() => count() || undefined, run.stream.silenceMs)));
      await sleep(silenceMs);
      for (const connection of connections) demandPayloads(connection, order);
      expect(payloadsOf(stranger, order).length === 0, 'a third agent received an order event', stranger.exchange);
      if (count() === 0) throw new Skipped('no agent received the creation or the rejection of an offer');
    },
  },
  {
    id: 'events.top-up',
    covers: ['AP-EVENT-028'],
    rule: 'A grant of credits causes no event.',
    needs: ['stream', 'credits'],
    cost: { contactRequests: 1, writes: 3, messages: 1, creditsMinor: 1, sockets: 2, seconds: 1 },
    async judge(run) {
      const { one: agent, other } = await friendPair(run);
      await settle(run, [agent]);
      const connection = await listen(run, agent);
      const atFirst = eventsSoFar(run);
      await sendRandomMessage(run, other, agent);
      await acknowledge(run, connection, (await expectNewEvent(run, connection, atFirst, 'message.created')).id);
      const before = eventsSoFar(run);
      const available = await readAvailable(run, agent);
      await run.hooks.grant(agent.id, 1);
      run.budget.spent.creditsMinor += 1;
      if ((await readAvailable(run, agent)) !== available + 1)
        throw new Skipped('the program of --grant-command succeeded, but the wallet lacks the credits');
      // What only waits would come with the next connection.
      const later = await listen(run, agent);
      await sleep(silenceMs);
      for (const one of [connection, later]) {
        const news = eventsOf(one.frames).find(({ id }) => !before.has(id.toLowerCase()));
        expect(news === undefined, `a grant caused ${news?.kind}`, one.exchange);
      }
    },
  },
];

async function readAvailable(run: Run, { token }: PoolAgent): Promise<number> {
  const answer = await run.send({ path: '/api/v1/wallet', token });
  expectStatus(answer, 200);
  const { wallet } = expectObject(answer) as { readonly wallet?: unknown };
  const available = isObject(wallet) ? wallet['available_minor'] : undefined;
  expect(typeof available === 'number', '"available_minor" is not a number', answer);
  return available;
}

/** The payloads of the events of kind order.changed that are about an order. */
export function payloadsOf({ frames }: Connection, { id }: TrackedOrder) {
  return eventsOf(frames)
    .filter(({ kind }) => kind === 'order.changed')
    .map(({ payload }) => payload)
    .filter(isObject)
    .filter((payload) => isSameId(payload['order_id'], id));
}

function demandPayloads(connection: Connection, order: TrackedOrder): void {
  const { frames, exchange } = connection;
  for (const { kind, payload } of eventsOf(frames)) {
    if (kind !== 'order.changed') continue;
    expect(isObject(payload) && typeof payload['order_id'] === 'string', 'order.changed has no order_id', exchange);
  }
  for (const payload of payloadsOf(connection, order)) {
    const { version, status } = payload as { readonly version?: unknown; readonly status?: unknown };
    const state = order.states.get(version as number);
    expect(state !== undefined, `the order never had the version ${JSON.stringify(version)}`, exchange);
    expect(status === state, `the status is ${JSON.stringify(status)} instead of "${state}"`, exchange);
    for (const name of unsaid) expect(!(name in payload), `the notification contains "${name}"`, exchange);
    const isSaid = textsOf(payload).some(({ text }) => text.includes(order.word));
    expect(!isSaid, 'the notification repeats the title or the description', exchange);
  }
}
