import { type Check, defineCheck, defineFixture } from '../../context/check.ts';
import { expect, SkippedError } from '../../context/expectations.ts';
import type { JsonObject } from '../../context/json.ts';
import { mePath, rotatePath } from '../../context/paths.ts';
import { friendPair } from '../contacts/agent-pairs.ts';
import { expectNoAccess } from '../events/event-access.ts';
import * as events from '../events/listening.ts';
import * as dialogs from '../messages/messaging.ts';
import { randomBase64, sealText } from '../messages/sealing.ts';
import { readBalance } from '../orders/ledger-check.ts';
import { expectOrder, orderParties } from '../orders/ordering.ts';
import { fileRetentionChecks } from './file-retention.ts';
import { advanceClock, advanceClockByHour, advanceClockUntil, dayMs, hourMs } from './passing-time.ts';

const minuteMs = 60_000;
const lifeMaxMs = 400 * dayMs;
const acceptedStates: readonly unknown[] = ['funded', 'in_progress', 'delivered', 'disputed', 'closed'];

const expiredAgent = defineFixture({ writes: 14 }, async (run) => {
  await advanceClockByHour(run);
  const { agent, exchange } = await run.expiringAgent();
  const { token_expires_at: expires } = expect.object(exchange) as { readonly token_expires_at?: unknown };
  const expiresMs = Date.parse(String(expires));
  if (!(expiresMs - run.time.now() < lifeMaxMs))
    throw new SkippedError('tokens of the server are valid for over 400 days');
  await advanceClockUntil(run, expiresMs - hourMs);
  const before = await agent.get(mePath);
  await advanceClockUntil(run, expiresMs + minuteMs);
  return { agent, before };
});

/** The dialog is read an hour before the message expires and a day after. */
const expiredMessage = defineFixture({ writes: 22, messages: 6 }, async (run) => {
  const first = await friendPair(run);
  const envelope = await dialogs.sendText(run, first.alice, first.bob, 'For ninety days.');
  const readByBoth = async () => {
    const { alice, bob } = await friendPair(run);
    return [await dialogs.readDialog(alice, bob), await dialogs.readDialog(bob, alice)] as const;
  };
  await advanceClock(run, 90 * dayMs - hourMs);
  const late = await friendPair(run);
  const last = await dialogs.sendText(run, late.alice, late.bob, 'For ninety days from now on.');
  const before = await readByBoth();
  await advanceClock(run, dayMs + hourMs);
  const { alice, bob } = await friendPair(run);
  return {
    envelope,
    last,
    before,
    after: await readByBoth(),
    repeated: await dialogs.postMessage(alice, envelope),
    withItsId: await dialogs.postMessage(alice, {
      ...sealText(run, alice, bob, 'Another text.'),
      client_message_id: envelope.client_message_id,
    }),
    withItsNonce: await dialogs.postMessage(alice, {
      ...sealText(run, alice, bob, 'Another text.'),
      nonce: envelope.nonce,
    }),
    /** Shows that the server does not refuse every message. */
    control: await dialogs.postMessage(alice, {
      ...sealText(run, alice, bob, 'Another text.'),
      nonce: randomBase64(run, 24),
    }),
  };
});

export const timeChecks: readonly Check[] = [
  ...fileRetentionChecks,
  defineCheck(orderParties, {
    id: 'time.deadline',
    covers: ['AP-ORDER-079'],
    rule: 'When its deadline passes, an offer is not accepted and no credits are reserved; it can no longer be accepted.',
    cost: { writes: 7, creditsMinor: 100 },
    async judge(parties, run) {
      await parties.fund();
      const before = await readBalance(run, parties.customer);
      const deadline = new Date(run.time.now() + 2 * dayMs).toISOString();
      const offer = await parties.offer('contractor', 4, { deadline });
      await advanceClock(run, 3 * dayMs);
      const late = offer.between(await orderParties(run));
      const read = await late.readAs('customer');
      const { state } = expectOrder(read, 200) as JsonObject;
      expect(!acceptedStates.includes(state), `the state is ${String(state)} after the deadline`, read);
      const after = await readBalance(run, late.parties.customer);
      expect(after.reserved === before.reserved, 'the reserve has changed', after.exchange);
      // The specification does not state whether the deadline changes the state; if it did, more codes are correct.
      const others = state === 'offered' ? [] : ['state_conflict', 'version_conflict'];
      expect.refused(await late.post(['accept', 'customer']), 'deadline_passed', ...others);
    },
  }),
  defineCheck(expiredAgent, {
    id: 'time.tokens',
    covers: ['AP-TOKEN-010'],
    rule: 'A token is valid until its expiry date, and 401 afterwards, also for its rotation.',
    cost: { writes: 1 },
    async judge({ agent, before }, run) {
      expect.status(before, 200);
      expect.unauthorized(await agent.get(mePath));
      expect.unauthorized(await agent.post(rotatePath));
      expect.status(await (await run.primaryAgent()).get(mePath), 200);
    },
  }),
  defineCheck(expiredAgent, {
    id: 'time.streams',
    covers: ['AP-EVENT-036'],
    rule: 'An expired token opens no stream; a valid one does.',
    cost: { sockets: 2 },
    async judge({ agent }, run) {
      await events.listen(run, await run.primaryAgent());
      await expectNoAccess(run, await run.stream.connect(agent.token));
    },
  }),
  defineCheck(events.drainedFriends, {
    id: 'time.waiting-events',
    covers: ['AP-EVENT-054'],
    rule: 'An unacknowledged event is delivered again after two days.',
    cost: { contactRequests: 1, writes: 12, messages: 1, sockets: 1 },
    async judge({ alice, bob }, run) {
      const connection = await events.listen(run, bob);
      const event = await events.sendAndReceive(run, connection, alice, bob);
      await connection.close();
      await advanceClock(run, 2 * dayMs);
      const agents = await friendPair(run);
      const later = await events.listen(run, agents.bob);
      await events.expectRedelivery(run, later, event, 'AP-EVENT-054');
      await events.acknowledge(run, later, event.id);
    },
  }),
  defineCheck(expiredMessage, {
    id: 'time.messages',
    covers: ['AP-MESSAGE-029'],
    rule: 'The content of a message is readable for 90 days, and not afterwards, even if newer messages follow.',
    async judge({ envelope, last, before, after }) {
      for (const dialog of before) dialogs.expectEnvelope(dialog, envelope);
      for (const dialog of after) {
        dialogs.expectNotInDialog(dialog, envelope.ciphertext);
        dialogs.expectEnvelope(dialog, last);
      }
    },
  }),
  defineCheck(expiredMessage, {
    id: 'time.message-ids',
    covers: ['AP-MESSAGE-030'],
    rule: 'The client_message_id and the nonce of an expired message are refused.',
    async judge({ envelope, before, repeated, withItsId, withItsNonce, control }, run) {
      // A message that was lost before it expired violates another requirement.
      await run.precondition('AP-MESSAGE-029', () => {
        for (const dialog of before) dialogs.expectEnvelope(dialog, envelope);
      });
      for (const answer of [repeated, withItsId]) expect.refused(answer, 'message_expired', 'idempotency_conflict');
      expect.refused(withItsNonce, 'nonce_reuse');
      expect.status(control, 201);
    },
  }),
].map((check) => ({ ...check, needs: ['clock', ...(check.needs ?? [])] }));
