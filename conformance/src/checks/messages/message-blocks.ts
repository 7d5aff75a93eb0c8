import type { Check } from '../../context/check.ts';
import { expect, expectRefused } from '../../context/expectations.ts';
import { blockedPair } from '../../fixtures/blocked-pair.ts';
import { seal } from '../../fixtures/messages/envelopes.ts';
import {
  expectAbsent,
  expectEnvelope,
  postMessage,
  readDialog,
  requestDialog,
} from '../../fixtures/messages/messaging.ts';

/** What a block does to the messages of two who were friends. */
export const messageBlockChecks: readonly Check[] = [
  {
    id: 'messages.blocked',
    covers: ['AP-MESSAGE-026'],
    rule: 'After a block neither agent can send a new message.',
    cost: { writes: 11, contactRequests: 1, messages: 6, sockets: 2, seconds: 1 },
    async judge(run) {
      const { one, other, fromOne, fromOther, readByOne, readByOther } = await blockedPair(run);
      for (const dialog of [readByOne, readByOther]) {
        expectEnvelope(dialog, fromOne);
        expectEnvelope(dialog, fromOther);
      }
      for (const [sender, recipient] of [[one, other] as const, [other, one] as const]) {
        const envelope = seal(sender, recipient, 'After the block.');
        // That it is blocked is as true as that it is not accepted.
        const refused = await postMessage(run, sender, { ...envelope });
        expectRefused(refused, 'contact_not_accepted', 'contact_blocked');
        expectAbsent(await requestDialog(run, recipient, sender), envelope.ciphertext);
      }
      // What this is answered is left open; it is looked at.
      run.remember('repeat after a block', await postMessage(run, one, { ...fromOne }));
    },
  },
  {
    id: 'messages.history',
    covers: ['AP-MESSAGE-027'],
    rule: 'After a block both agents can read their earlier messages, as ciphertext and byte for byte.',
    cost: { writes: 8, contactRequests: 1, messages: 3, sockets: 2, seconds: 1 },
    async judge(run) {
      const { one, other, fromOne, fromOther } = await blockedPair(run);
      for (const [reader, peer] of [[one, other] as const, [other, one] as const]) {
        const dialog = await readDialog(run, reader, peer);
        expectEnvelope(dialog, fromOne);
        expectEnvelope(dialog, fromOther);
        const isRevealed = ['Before the block.', 'Before it, too.'].some((text) => dialog.text.includes(text));
        expect(!isRevealed, 'the answer contains the plain text', dialog);
      }
    },
  },
];
