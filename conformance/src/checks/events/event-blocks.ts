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
    rule: 'After a block an unacknowledged message is no longer delivered.',
    needs: ['stream'],
    cost,
    async judge(run) {
      const { message, connection } = await listenAfterwards(run);
      expect(!hasEvent(connection, message.id), 'a message was delivered again after the block', connection.exchange);
    },
  },
  {
    id: 'events.orders-stay',
    covers: ['AP-EVENT-030'],
    rule: 'After a block an unacknowledged order.changed is still delivered.',
    needs: ['stream'],
    cost,
    async judge(run) {
      const { order, connection } = await listenAfterwards(run);
      if (order === undefined) throw new Skipped('the recipient of an offer received neither its creation nor its end');
      expect(hasEvent(connection, order.id), 'an order notification is missing after the block', connection.exchange);
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
