import { sendConcurrently } from '../../context/agent.ts';
import { type Check, defineCheck, defineFixture, type Run } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { friendPair } from '../contacts/agent-pairs.ts';
import { blockedPair } from '../contacts/blocked-pair.ts';
import { bothDirections } from '../contacts/contacting.ts';
import * as dialogs from './messaging.ts';
import { type Envelope, randomBase64, sealText } from './sealing.ts';

export const messageIdentityChecks: readonly Check[] = [
  defineCheck(friendPair, {
    id: 'messages.conflict',
    covers: ['AP-MESSAGE-022'],
    rule: 'The same client_message_id with other content is 409 idempotency_conflict, and the first message stays unchanged.',
    cost: { writes: 7, messages: 7 },
    async judge({ alice, bob }, run) {
      const first = await dialogs.sendVerifiedText(run, alice, bob, 'First.');
      // Both changed envelopes have new nonces, because a used nonce would be another reason to refuse them.
      const nonce = randomBase64(run, 24);
      const changed = { ...sealText(run, alice, bob, 'Otherwise.'), client_message_id: first.client_message_id };
      for (const envelope of [changed, { ...first, nonce }]) {
        expect.refusal(await dialogs.postMessage(alice, envelope), 409, 'idempotency_conflict');
      }
      // Both codes are correct, because this envelope reuses the id and the nonce with another ciphertext.
      const { ciphertext } = changed;
      const sameNonce = await dialogs.postMessage(alice, { ...first, ciphertext });
      expect.refusal(sameNonce, 409, 'idempotency_conflict', 'nonce_reuse');
      // Any refusal is correct, because the recipient is not a friend either.
      const elsewhere = { ...first, recipient_id: (await run.freshAgent()).id };
      expect.refused(await dialogs.postMessage(alice, elsewhere));
      expect.status(await dialogs.postMessage(alice, first), 200);
      await dialogs.expectInBothDialogs(alice, bob, first);
      // A client_message_id is unique only per sender, so the recipient can use the same one.
      const { client_message_id } = first;
      expect.works(await dialogs.postMessage(bob, { ...sealText(run, bob, alice, 'Of bob.'), client_message_id }), 201);
      for (const [reader, peer] of bothDirections({ alice, bob })) {
        const dialog = await dialogs.readDialog(reader, peer);
        for (const text of [changed.ciphertext, nonce]) dialogs.expectNotInDialog(dialog, text);
      }
    },
  }),
  defineCheck(friendPair, {
    id: 'messages.nonce',
    covers: ['AP-MESSAGE-023'],
    rule: 'A used nonce is 409 nonce_reuse with another id, whether the ciphertext is the same or different.',
    cost: { writes: 5, messages: 5 },
    async judge({ alice, bob }, run) {
      const first = await dialogs.sendText(run, alice, bob, 'With this nonce.');
      // Sends another message, because the server must remember more than the last nonce.
      await dialogs.sendText(run, alice, bob, 'With another nonce.');
      // If the server lost the first message, it may not know the nonce, which is another fault.
      await run.precondition('AP-MESSAGE-002', () => dialogs.expectInBothDialogs(alice, bob, first));
      const again = { ...sealText(run, alice, bob, 'And again.'), nonce: first.nonce };
      for (const envelope of [again, { ...again, ciphertext: first.ciphertext }]) {
        expect.refusal(await dialogs.postMessage(alice, envelope), 409, 'nonce_reuse');
      }
      await dialogs.expectInBothDialogs(alice, bob, first);
      dialogs.expectNotInDialog(await dialogs.readDialog(bob, alice), again.ciphertext);
      await dialogs.sendText(run, alice, bob, 'And again.');
    },
  }),
  defineCheck(friendPair, {
    id: 'messages.parallel',
    covers: ['AP-MESSAGE-024'],
    rule: 'Four concurrent sends of the same envelope create a single message: 201 once, 200 for the others.',
    cost: { writes: 4, messages: 4 },
    async judge({ alice, bob }, run) {
      const envelope = sealText(run, alice, bob, 'At once.');
      const answers = await sendConcurrently(alice, Array(4).fill(envelope), (each: Envelope) =>
        dialogs.postMessage(alice, each),
      );
      const statuses = answers.map(({ status }) => status).toSorted();
      expect(String(statuses) === '200,200,200,201', `the statuses are ${statuses.join(', ')}`, answers[0]);
      await dialogs.expectInBothDialogs(alice, bob, envelope);
    },
  }),
  defineCheck(friendPair, {
    id: 'messages.parallel-nonce',
    covers: ['AP-MESSAGE-025'],
    rule: 'Of four concurrent messages with the same nonce only one is accepted, and the others are nonce_reuse.',
    cost: { writes: 4, messages: 4 },
    async judge({ alice, bob }, run) {
      const nonce = randomBase64(run, 24);
      const envelopes = ['a', 'b', 'c', 'd'].map((text) => ({ ...sealText(run, alice, bob, text), nonce }));
      const answers = await sendConcurrently(alice, envelopes, (envelope) => dialogs.postMessage(alice, envelope));
      const accepted = answers.filter(({ status }) => status === 201);
      expect(accepted.length === 1, `${accepted.length} of them were accepted`, answers[0]);
      for (const answer of answers) if (answer.status !== 201) expect.refusal(answer, 409, 'nonce_reuse');
      const dialog = await dialogs.readDialog(bob, alice);
      for (const [at, envelope] of envelopes.entries()) {
        if (answers[at]?.status === 201) dialogs.expectEnvelope(dialog, envelope);
        else dialogs.expectNotInDialog(dialog, envelope.ciphertext);
      }
    },
  }),
];

/** The specification does not define the answer to a repeated message after a block. */
export const repeatAfterBlock = defineFixture({ writes: 1, messages: 1 }, async (run) => {
  const { alice, envelopes } = await blockedPair(run);
  return await dialogs.postMessage(alice, envelopes[0]);
});

export const messageBlockChecks: readonly Check[] = [
  defineCheck(blockedPair, {
    id: 'messages.blocked',
    covers: ['AP-MESSAGE-026'],
    rule: 'After a block neither agent can send a new message.',
    cost: { writes: 2, messages: 2 },
    fixtures: [repeatAfterBlock],
    async judge(pair, run) {
      await expectBefore(run, pair);
      for (const [sender, recipient] of bothDirections(pair)) {
        const envelope = sealText(run, sender, recipient, 'After the block.');
        // Both codes are correct, because a blocked contact is also not an accepted one.
        expect.refused(await dialogs.postMessage(sender, envelope), 'contact_not_accepted', 'contact_blocked');
        dialogs.expectNotInDialog(await dialogs.requestDialog(recipient, sender), envelope.ciphertext);
      }
      await repeatAfterBlock(run);
    },
  }),
  defineCheck(blockedPair, {
    id: 'messages.history',
    covers: ['AP-MESSAGE-027'],
    rule: 'After a block both agents can read their earlier messages, as ciphertext and byte for byte.',
    async judge(pair, run) {
      await expectBefore(run, pair);
      for (const [reader, peer] of bothDirections(pair)) {
        const dialog = await dialogs.readDialog(reader, peer);
        for (const envelope of pair.envelopes) dialogs.expectEnvelope(dialog, envelope);
        const isRevealed = ['Before the block.', 'Before it, too.'].some((text) => dialog.text.includes(text));
        expect(!isRevealed, 'the dialog contains the text of a sealed message', dialog);
      }
    },
  }),
];

async function expectBefore(run: Run, pair: Awaited<ReturnType<typeof blockedPair>>): Promise<void> {
  await run.precondition('AP-MESSAGE-002', () => {
    for (const dialog of pair.dialogs) for (const envelope of pair.envelopes) dialogs.expectEnvelope(dialog, envelope);
  });
}
