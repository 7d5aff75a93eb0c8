import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from '../../context/check.ts';
import type { Cost } from '../../context/cost.ts';
import type { Connection } from '../../context/events/connection.ts';
import { expect, Skipped } from '../../context/expectations.ts';
import type { Run } from '../../context/run.ts';
import { blockedPair } from '../../fixtures/blocked-pair.ts';
import { hasEvent, listen, silenceMs } from '../../fixtures/events/listening.ts';

// With everything that has to be before two agents can part.
const cost: Partial<Cost> = { contactRequests: 2, writes: 12, messages: 3, sockets: 2, seconds: 1 };

/** What a block does to events that nobody has acknowledged. */
export const eventBlockChecks: readonly Check[] = [
  {
    id: 'events.suppressed',
    covers: ['AP-EVENT-029'],
    rule: 'After a block a message that was not acknowledged is not delivered any more.',
    needs: ['stream'],
    cost,
    async judge(run) {
      const { message, connection } = await listenAfterwards(run);
      expect(!hasEvent(connection, message.id), 'a message came again after the block', connection.exchange);
    },
  },
  {
    id: 'events.orders-stay',
    covers: ['AP-EVENT-030'],
    rule: 'After a block an order.changed that was not acknowledged is delivered still.',
    needs: ['stream'],
    cost,
    async judge(run) {
      const { order, connection } = await listenAfterwards(run);
      if (order === undefined) throw new Skipped('neither an offer nor its end was told to whom it was made');
      expect(hasEvent(connection, order.id), 'a notification of an order is gone after the block', connection.exchange);
    },
  },
];

interface Afterwards {
  readonly connection: Connection;
  readonly message: { readonly id: string };
  readonly order: { readonly id: string } | undefined;
}

const listened = new WeakMap<Run, Promise<Afterwards>>();

/** Connects after the block, once in a run, as the one who blocked. */
function listenAfterwards(run: Run): Promise<Afterwards> {
  const known = listened.get(run) ?? connect(run);
  listened.set(run, known);
  return known;
}

async function connect(run: Run): Promise<Afterwards> {
  const { one, unacknowledged: unconfirmed } = await blockedPair(run);
  const { message, order } = unconfirmed();
  const connection = await listen(run, one);
  if (order !== undefined)
    await connection.until(() => (hasEvent(connection, order.id) ? true : undefined), run.stream.patienceMs);
  await sleep(silenceMs);
  return { connection, message, order };
}
