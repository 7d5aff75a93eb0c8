import { type Check, defineCheck, defineFixture } from '../../context/check.ts';
import { expect, SkippedError } from '../../context/expectations.ts';
import { blockEventsOf, blockedPair, wasNotified } from '../contacts/blocked-pair.ts';
import { expectEventKinds, expectPendingEvents } from './event-delivery.ts';
import * as events from './listening.ts';

const connectionAfterBlock = defineFixture({ sockets: 1, writes: 1, seconds: 1 }, async (run) => {
  const { alice, bob, unacknowledged } = await blockedPair(run);
  const { order, isNotifiedOfEnd, offer, ...rest } = unacknowledged();
  const ended = await offer.act('cancel', 'contractor');
  const connection = await events.listen(run, alice);
  if (order !== undefined)
    await connection.until(() => events.hasReceived(connection, order.id) || undefined, run.stream.eventTimeoutMs);
  const isNotifiedAgain =
    !isNotifiedOfEnd || (await wasNotified(connection, offer.id, ended.version, run.stream.eventTimeoutMs));
  await run.clock.sleep(run.stream.silenceMs);
  return { alice, bob, connection, order, isNotifiedAgain, ...rest };
});

const common = { needs: ['stream'], fixtures: [blockedPair] } as const;

export const eventBlockChecks: readonly Check[] = [
  defineCheck(connectionAfterBlock, {
    ...common,
    id: 'events.suppressed',
    cost: { sockets: 4, seconds: 1 },
    covers: ['AP-EVENT-029', 'AP-EVENT-018', 'AP-EVENT-024', 'AP-EVENT-013', 'AP-EVENT-014', 'AP-EVENT-015'],
    rule: 'After a block, an unacknowledged message is no longer delivered, but a message of another friend is, and that friend receives nothing about the two.',
    async judge({ alice, bob, message, marks, connection, fromFriend, heard }, run) {
      await run.requirement('AP-EVENT-029', () =>
        expect(
          !events.hasReceived(connection, message.id),
          'a message was delivered after the block',
          connection.exchange,
        ),
      );
      // The pending events may include a notification of the block.
      for (const agent of [alice, bob]) await expectPendingEvents(run, agent);
      if (fromFriend === undefined || heard === undefined)
        throw new SkippedError('neither of the two has another friend');
      const { ofMember, again, ofFriend } = heard;
      const lost = 'a message from another friend was lost with the block';
      await run.requirement('AP-EVENT-018', () =>
        events.expectSameEventId(run, ofMember, fromFriend.event, 'AP-EVENT-018', lost),
      );
      await run.requirement('AP-EVENT-018', () => {
        for (const event of blockEventsOf(ofMember)) events.expectSameEventId(run, again, event, 'AP-EVENT-018');
      });
      await run.requirement('AP-EVENT-024', () => events.expectNoEventWith(ofFriend, marks, 'a friend of the two'));
      await expectEventKinds(run, ofMember);
    },
  }),
  defineCheck(connectionAfterBlock, {
    ...common,
    id: 'events.orders-stay',
    covers: ['AP-EVENT-030'],
    rule: 'After a block, an unacknowledged order.changed is still delivered, and so are later ones.',
    async judge({ order, isNotifiedAgain, connection }, run) {
      if (order === undefined)
        throw new SkippedError('the recipient received no notification of an offer or of its end');
      const lost = 'an order notification was lost with the block';
      events.expectSameEventId(run, connection, order, 'AP-EVENT-030', lost);
      const lostEnd = 'the recipient was notified of the end of an offer before the block, but not after it';
      expect(isNotifiedAgain, lostEnd, connection.exchange);
    },
  }),
];
