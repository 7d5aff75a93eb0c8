import type { Check } from '../../context/check.ts';
import { expect, Skipped } from '../../context/expectations.ts';
import { fixture } from '../../context/fixture.ts';
import { blockedPair } from '../../fixtures/blocked-pair.ts';
import * as events from '../../fixtures/events/listening.ts';
import { sleep } from '../../world/time.ts';
import { given } from '../given.ts';

/** The connection of a blocking agent, and the events that it received and did not acknowledge before. */
const connectionAfterBlock = fixture({ sockets: 1, seconds: 1 }, async (run) => {
  const { one, unacknowledged } = await blockedPair(run);
  const { message, order } = unacknowledged();
  const connection = await events.listen(run, one);
  if (order !== undefined)
    await connection.until(() => events.has(connection, order.id) || undefined, run.stream.patienceMs);
  await sleep(run.stream.silenceMs);
  return { connection, message, order };
});

const common = { needs: ['stream'], fixtures: [blockedPair] } as const;

/** Unacknowledged events after a block. */
export const eventBlockChecks: readonly Check[] = [
  given(connectionAfterBlock, {
    ...common,
    id: 'events.suppressed',
    covers: ['AP-EVENT-029'],
    rule: 'After a block an unacknowledged message is no longer delivered.',
    async judge({ message, connection }) {
      expect(!events.has(connection, message.id), 'a message was delivered after the block', connection.exchange);
    },
  }),
  given(connectionAfterBlock, {
    ...common,
    id: 'events.orders-stay',
    covers: ['AP-EVENT-030'],
    rule: 'After a block an unacknowledged order.changed is still delivered.',
    async judge({ order, connection }) {
      if (order === undefined) throw new Skipped('the recipient of an offer was notified neither of it nor of its end');
      expect(
        events.has(connection, order.id),
        'a notification of an order was lost with the block',
        connection.exchange,
      );
    },
  }),
];
