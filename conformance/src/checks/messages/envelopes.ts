import { randomUUID } from 'node:crypto';
import type { Check } from '../../context/check.ts';
import { codeOf, expect, expectRefusal, expectRefused } from '../../context/expectations.ts';
import type { JsonObject } from '../../context/json.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import type { Run } from '../../context/run.ts';
import { friendPair, requestedPair } from '../../fixtures/contacts/leases.ts';
import {
  type Envelope,
  envelopeAround,
  envelopeMembers,
  randomBase64,
  seal,
} from '../../fixtures/messages/envelopes.ts';
import {
  expectAbsent,
  expectEnvelope,
  postMessage,
  readDialog,
  requestDialog,
  sendEnvelope,
} from '../../fixtures/messages/messaging.ts';
import { malformedCodes } from '../transport/errors.ts';

/** What an envelope must be to be taken. */
export const envelopeChecks: readonly Check[] = [
  {
    id: 'envelopes.ciphertext-bounds',
    covers: ['AP-MESSAGE-013'],
    rule: 'A ciphertext of 16 to 16384 bytes is accepted; 15 and 16385 bytes are invalid_envelope.',
    cost: { writes: 4, messages: 4 },
    async judge(run) {
      const { one, other } = await friendPair(run);
      for (const bytes of [16, 16_384]) {
        const envelope = envelopeAround(one, other, randomBase64(bytes));
        await sendEnvelope(run, one, envelope);
        expectEnvelope(await readDialog(run, other, one), envelope);
      }
      for (const bytes of [15, 16_385]) {
        await refusesEnvelope(run, one, envelopeAround(one, other, randomBase64(bytes)), {});
      }
    },
  },
  {
    id: 'envelopes.nonce-bytes',
    covers: ['AP-MESSAGE-014'],
    rule: 'A nonce has 24 bytes; 0, 23 and 25 bytes are invalid_envelope.',
    cost: { writes: 4, messages: 4 },
    async judge(run) {
      const { one, other } = await friendPair(run);
      const envelope = seal(one, other, 'Twenty-four.');
      await sendEnvelope(run, one, envelope);
      for (const bytes of [0, 23, 25]) {
        await refusesEnvelope(run, one, seal(one, other, 'No.'), { nonce: randomBase64(bytes) });
      }
    },
  },
  {
    id: 'envelopes.base64',
    covers: ['AP-MESSAGE-015'],
    rule: 'Nonce and ciphertext are base64; other strings and numbers are refused.',
    cost: { writes: 5, messages: 5 },
    async judge(run) {
      const { one, other } = await friendPair(run);
      await sendEnvelope(run, one, seal(one, other, 'In base64.'));
      for (const name of ['nonce', 'ciphertext'] as const) {
        await refusesEnvelope(run, one, seal(one, other, 'No.'), { [name]: '*'.repeat(32) });
        const envelope = { ...seal(one, other, 'No.'), [name]: 7 };
        expectRefusal(await postMessage(run, one, envelope), 400, ...malformedCodes, 'encrypted_envelope_required');
      }
    },
  },
  {
    id: 'envelopes.keys',
    covers: ['AP-MESSAGE-016'],
    rule: 'Both keys are X25519 keys in base64; 31 bytes and invalid base64 are refused.',
    cost: { writes: 5, messages: 5 },
    async judge(run) {
      const { one, other } = await friendPair(run);
      await sendEnvelope(run, one, seal(one, other, 'With keys.'));
      for (const name of ['sender_public_key', 'recipient_public_key'] as const) {
        for (const key of [randomBase64(31), '*'.repeat(44)]) {
          const envelope = { ...seal(one, other, 'No.'), [name]: key };
          expectRefused(await postMessage(run, one, envelope), ...malformedCodes, 'key_changed');
        }
      }
    },
  },
  {
    id: 'envelopes.version',
    covers: ['AP-MESSAGE-017', 'AP-VERSION-007'],
    rule: 'box-v1 is accepted; any other version is unsupported_encryption.',
    cost: { writes: 3, messages: 3 },
    async judge(run) {
      const { one, other } = await friendPair(run);
      const envelope = seal(one, other, 'Version 1.');
      await sendEnvelope(run, one, envelope);
      expectEnvelope(await readDialog(run, other, one), envelope);
      for (const encryption_version of ['box-v2', 'none']) {
        const refused = await postMessage(run, one, { ...seal(one, other, 'No.'), encryption_version });
        run.remember('other encryption', refused);
        expectRefused(refused, 'unsupported_encryption');
      }
    },
  },
  {
    id: 'envelopes.members',
    covers: ['AP-MESSAGE-018'],
    rule: 'An envelope requires every member; without any one of them it is refused.',
    cost: { writes: 8, messages: 8 },
    async judge(run) {
      const { one, other } = await friendPair(run);
      await sendEnvelope(run, one, seal(one, other, 'In full.'));
      const codes = [...malformedCodes, 'encrypted_envelope_required', 'unsupported_encryption', 'key_changed'];
      for (const name of envelopeMembers) {
        const { [name]: _, ...rest } = seal(one, other, 'In part.');
        expectRefused(await postMessage(run, one, rest), ...codes);
      }
    },
  },
  {
    id: 'envelopes.plain-text',
    covers: ['AP-MESSAGE-019'],
    rule: 'Plain text is not allowed: alone it is refused, and beside an envelope it is never returned.',
    cost: { writes: 3, messages: 3 },
    async judge(run) {
      const { one, other } = await friendPair(run);
      await sendEnvelope(run, one, seal(one, other, 'Sealed.'));
      const text = `In the clear: ${randomUUID()}`;
      const bare = { recipient_id: other.id, client_message_id: randomUUID(), text };
      const refused = await postMessage(run, one, bare);
      run.remember('plain text', refused);
      expectRefused(refused, ...malformedCodes, 'encrypted_envelope_required', 'unsupported_encryption');
      const beside = await postMessage(run, one, { ...seal(one, other, 'Sealed as well.'), text });
      expect(beside.status < 500, `it was answered ${beside.status}`, beside);
      expectAbsent(await readDialog(run, one, other), text);
      expectAbsent(await readDialog(run, other, one), text);
    },
  },
  {
    id: 'envelopes.ids',
    covers: ['AP-MESSAGE-020'],
    rule: 'recipient_id and client_message_id are UUIDs.',
    cost: { writes: 5, messages: 5 },
    async judge(run) {
      const { one, other } = await friendPair(run);
      await sendEnvelope(run, one, seal(one, other, 'With ids.'));
      for (const name of ['recipient_id', 'client_message_id'] as const) {
        for (const id of ['no-uuid', 7]) {
          const envelope = { ...seal(one, other, 'No.'), [name]: id };
          expectRefusal(await postMessage(run, one, envelope), 400, ...malformedCodes, 'encrypted_envelope_required');
        }
      }
    },
  },
  {
    id: 'envelopes.not-accepted',
    covers: ['AP-MESSAGE-021'],
    rule: 'A message requires an accepted contact: while a request is pending it is 403 contact_not_accepted from both sides.',
    cost: { writes: 4, contactRequests: 1, messages: 3 },
    async judge(run) {
      const friends = await friendPair(run);
      await sendEnvelope(run, friends.one, seal(friends.one, friends.other, 'Among friends.'));
      const { one, other } = await requestedPair(run);
      for (const [sender, recipient] of [[one, other] as const, [other, one] as const]) {
        const envelope = seal(sender, recipient, 'Too early.');
        expectRefusal(await postMessage(run, sender, { ...envelope }), 403, 'contact_not_accepted');
        expectAbsent(await requestDialog(run, recipient, sender), envelope.ciphertext);
      }
    },
  },
];

/** Demands that an envelope is refused as malformed for the members that are changed, and is not stored. */
async function refusesEnvelope(run: Run, sender: PoolAgent, envelope: Envelope, changed: JsonObject): Promise<void> {
  const refused = await postMessage(run, sender, { ...envelope, ...changed });
  expect(refused.status === 400, `${refused.status} (${codeOf(refused)}) instead of 400`, refused);
  expectRefusal(refused, 400, 'invalid_envelope');
}
