import { type Check, fixture, given } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import type { Run } from '../../context/run.ts';
import { blockedPair } from '../contacts/blocked-pair.ts';
import { directions } from '../contacts/contacts-made.ts';
import * as dialogs from './messaging.ts';
import { type Envelope, seal } from './sealing.ts';

/** The repetition of a message after a block; a decision settles its answer. */
export const repeatAfterBlock = fixture({ writes: 1, messages: 1 }, async (run) => {
  const { alice, envelopes } = await blockedPair(run);
  return await dialogs.post(alice, envelopes[0]);
});

/** Messages after a block. */
export const messageBlockChecks: readonly Check[] = [
  given(blockedPair, {
    id: 'messages.blocked',
    covers: ['AP-MESSAGE-026'],
    rule: 'After a block neither agent can send a new message.',
    cost: { writes: 2, messages: 2 },
    fixtures: [repeatAfterBlock],
    async judge(pair, run) {
      await expectBefore(run, pair);
      for (const [sender, recipient] of directions(pair)) {
        const envelope = seal(run, sender, recipient, 'After the block.');
        // A blocked contact is not an accepted one either.
        expect.refused(await dialogs.post(sender, envelope), 'contact_not_accepted', 'contact_blocked');
        dialogs.expectAbsent(await dialogs.tryRead(recipient, sender), envelope.ciphertext);
      }
      await repeatAfterBlock(run);
    },
  }),
  given(blockedPair, {
    id: 'messages.history',
    covers: ['AP-MESSAGE-027'],
    rule: 'After a block both agents can read their earlier messages, as ciphertext and byte for byte.',
    async judge(pair, run) {
      await expectBefore(run, pair);
      for (const [reader, peer] of directions(pair)) {
        const dialog = await dialogs.read(reader, peer);
        for (const envelope of pair.envelopes) dialogs.expectEnvelope(dialog, envelope);
        const isRevealed = ['Before the block.', 'Before it, too.'].some((text) => dialog.text.includes(text));
        expect(!isRevealed, 'the dialog has the text of a sealed message', dialog);
      }
    },
  }),
];

interface PairBefore {
  readonly dialogs: readonly Exchange[];
  readonly envelopes: readonly Envelope[];
}

/** Expects the messages in the dialogs before the block: what was not there then is not lost by it. */
async function expectBefore(run: Run, pair: PairBefore): Promise<void> {
  await run.precondition('AP-MESSAGE-002', () => {
    for (const dialog of pair.dialogs) for (const envelope of pair.envelopes) dialogs.expectEnvelope(dialog, envelope);
  });
}
