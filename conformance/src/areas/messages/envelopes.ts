import { type Check, defineCheck, defineFixture, type Run } from '../../context/check.ts';
import { expect, malformedCodes } from '../../context/expectations.ts';
import { friendPair, requestedPair } from '../contacts/agent-pairs.ts';
import * as contacts from '../contacts/contacting.ts';
import * as dialogs from './messaging.ts';
import { envelopeMembers, makeEnvelope, randomBase64, sealText } from './sealing.ts';

export const plainTextMessage = defineFixture({ writes: 1, messages: 1 }, async (run) => {
  const { alice, bob } = await friendPair(run);
  const text = `In the clear: ${run.random.uuid()}`;
  const message = { recipient_id: bob.id, client_message_id: run.random.uuid(), text };
  return { text, answer: await dialogs.postMessage(alice, message) };
});

export const unsupportedVersions = defineFixture({ writes: 4, messages: 4 }, async (run) => {
  const { alice, bob } = await friendPair(run);
  return await Array.fromAsync(['none', 'box-v2', 'box-v10', 'BOX-V1'], (encryption_version) =>
    dialogs.postMessage(alice, { ...sealText(run, alice, bob, 'No.'), encryption_version }),
  );
});

export const envelopeChecks: readonly Check[] = [
  defineCheck(friendPair, {
    id: 'envelopes.ciphertext-bounds',
    covers: ['AP-MESSAGE-013'],
    rule: 'A ciphertext of 16 to 16384 bytes is accepted; 15 and 16385 bytes are invalid_envelope.',
    cost: { writes: 4, messages: 4 },
    async judge({ alice, bob }, run) {
      for (const bytes of [16, 16_384]) {
        const envelope = makeEnvelope(run, alice, bob, randomBase64(run, bytes));
        expect.status(await dialogs.postMessage(alice, envelope), 201);
        dialogs.expectEnvelope(await dialogs.readDialog(bob, alice), envelope);
      }
      for (const bytes of [15, 16_385]) {
        const answer = await dialogs.postMessage(alice, makeEnvelope(run, alice, bob, randomBase64(run, bytes)));
        expect.refusal(answer, 400, 'invalid_envelope');
      }
    },
  }),
  defineCheck(validPair, {
    id: 'envelopes.nonce-bytes',
    covers: ['AP-MESSAGE-014'],
    rule: 'A nonce has 24 bytes; 0, 23 and 25 bytes are invalid_envelope.',
    cost: { writes: 4, messages: 4 },
    async judge(pair, run) {
      for (const bytes of [0, 23, 25]) {
        expect.refusal(
          await sendChangedEnvelope(run, pair, { nonce: randomBase64(run, bytes) }),
          400,
          'invalid_envelope',
        );
      }
    },
  }),
  defineCheck(validPair, {
    id: 'envelopes.base64',
    covers: ['AP-MESSAGE-015'],
    rule: 'Nonce and ciphertext are base64; other strings and numbers are refused.',
    cost: { writes: 6, messages: 6 },
    async judge(pair, run) {
      const nonce = Buffer.from(randomBase64(run, 24), 'base64').toString('hex');
      expect.refusal(await sendChangedEnvelope(run, pair, { nonce }), 400, 'invalid_envelope');
      for (const name of ['nonce', 'ciphertext'] as const) {
        expect.refusal(await sendChangedEnvelope(run, pair, { [name]: '*'.repeat(32) }), 400, 'invalid_envelope');
        expect.malformed(await sendChangedEnvelope(run, pair, { [name]: 7 }), 'encrypted_envelope_required');
      }
    },
  }),
  defineCheck(validPair, {
    id: 'envelopes.keys',
    covers: ['AP-MESSAGE-016'],
    rule: 'Both keys are X25519 keys in base64; 31 bytes and invalid base64 are refused.',
    cost: { writes: 5, messages: 5 },
    async judge(pair, run) {
      for (const name of ['sender_public_key', 'recipient_public_key']) {
        for (const key of [randomBase64(run, 31), '*'.repeat(44)]) {
          expect.refused(await sendChangedEnvelope(run, pair, { [name]: key }), ...malformedCodes, 'key_changed');
        }
      }
    },
  }),
  defineCheck(friendPair, {
    id: 'envelopes.version',
    covers: ['AP-MESSAGE-017', 'AP-VERSION-007'],
    rule: 'box-v1 is accepted; any other version is unsupported_encryption.',
    cost: { writes: 1, messages: 1 },
    fixtures: [unsupportedVersions],
    async judge({ alice, bob }, run) {
      const envelope = sealText(run, alice, bob, 'Version 1.');
      const sent = await dialogs.postMessage(alice, envelope);
      await run.requirement('AP-VERSION-007', async () => {
        expect.status(sent, 201);
        dialogs.expectEnvelope(await dialogs.readDialog(bob, alice), envelope);
      });
      const others = await unsupportedVersions(run);
      await run.requirement('AP-MESSAGE-017', () => {
        for (const answer of others) expect.refused(answer, 'unsupported_encryption');
      });
    },
  }),
  defineCheck(validPair, {
    id: 'envelopes.members',
    covers: ['AP-MESSAGE-018'],
    rule: 'An envelope requires every member; without any one of them it is refused.',
    cost: { writes: 8, messages: 8 },
    async judge(pair, run) {
      const codes = [...malformedCodes, 'encrypted_envelope_required', 'unsupported_encryption', 'key_changed'];
      for (const name of envelopeMembers)
        expect.refused(await sendChangedEnvelope(run, pair, { [name]: undefined }), ...codes);
    },
  }),
  defineCheck(validPair, {
    id: 'envelopes.plain-text',
    covers: ['AP-MESSAGE-019'],
    rule: 'Plain text is not allowed: without an envelope or in addition to one it is refused, and it is never returned.',
    cost: { writes: 2, messages: 2 },
    fixtures: [plainTextMessage],
    async judge(pair, run) {
      const { text, answer } = await plainTextMessage(run);
      expect.refused(answer, ...malformedCodes, 'encrypted_envelope_required', 'unsupported_encryption');
      const beside = await sendChangedEnvelope(run, pair, { text });
      expect.refused(beside, ...malformedCodes, 'encrypted_envelope_required', 'unsupported_encryption');
      for (const [reader, peer] of contacts.bothDirections(pair))
        dialogs.expectNotInDialog(await dialogs.readDialog(reader, peer), text);
    },
  }),
  defineCheck(validPair, {
    id: 'envelopes.ids',
    covers: ['AP-MESSAGE-020'],
    rule: 'recipient_id and client_message_id are UUIDs.',
    cost: { writes: 5, messages: 5 },
    async judge(pair, run) {
      for (const name of ['recipient_id', 'client_message_id']) {
        for (const id of ['no-uuid', 7]) {
          expect.malformed(await sendChangedEnvelope(run, pair, { [name]: id }), 'encrypted_envelope_required');
        }
      }
    },
  }),
  {
    id: 'envelopes.not-accepted',
    covers: ['AP-MESSAGE-021'],
    rule: 'A message requires an accepted contact: while a request is pending, it is 403 contact_not_accepted for both sides.',
    cost: { writes: 4, contactRequests: 1, messages: 3 },
    async judge(run) {
      await validPair(run);
      const contact = await requestedPair(run);
      await run.precondition('AP-CONTACT-003', () => contacts.expectNotFriends(contact));
      for (const [sender, recipient] of contacts.bothDirections(contact)) {
        const envelope = sealText(run, sender, recipient, 'Too early.');
        expect.refusal(await dialogs.postMessage(sender, envelope), 403, 'contact_not_accepted');
        dialogs.expectNotInDialog(await dialogs.requestDialog(recipient, sender), envelope.ciphertext);
      }
    },
  },
];

async function validPair(run: Run): Promise<contacts.AgentPair> {
  const pair = await friendPair(run);
  await dialogs.sendText(run, pair.alice, pair.bob, 'Valid.');
  return pair;
}

export function sendChangedEnvelope(run: Run, { alice, bob }: contacts.AgentPair, change: object) {
  return dialogs.postMessage(alice, { ...sealText(run, alice, bob, 'No.'), ...change });
}
