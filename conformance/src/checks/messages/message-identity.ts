import type { Check } from '../../context/check.ts';
import { expect, expectRefusal, expectStatus } from '../../context/expectations.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import type { Run } from '../../context/run.ts';
import { friendPair } from '../../fixtures/contacts/leases.ts';
import { type Envelope, randomBase64, seal } from '../../fixtures/messages/envelopes.ts';
import {
  expectAbsent,
  expectEnvelope,
  postMessage,
  readDialog,
  sendEnvelope,
} from '../../fixtures/messages/messaging.ts';
import { sendConcurrently } from '../../fixtures/profiles/concurrently.ts';

/** What makes two envelopes the same message, also when they come at the same moment. */
export const messageIdentityChecks: readonly Check[] = [
  {
    id: 'messages.conflict',
    covers: ['AP-MESSAGE-022'],
    rule: 'The same client_message_id with other content is 409 idempotency_conflict, and the first message stays unchanged.',
    cost: { writes: 4, messages: 4 },
    async judge(run) {
      const { one, other } = await friendPair(run);
      const first = seal(one, other, 'First.');
      await sendEnvelope(run, one, first);
      // Each with a fresh nonce, or it would be a used one as well.
      const nonce = randomBase64(24);
      const otherwise = [
        { ...seal(one, other, 'Otherwise.'), client_message_id: first.client_message_id },
        { ...first, nonce },
      ];
      for (const envelope of otherwise) {
        expectRefusal(await postMessage(run, one, envelope), 409, 'idempotency_conflict');
      }
      expectStatus(await postMessage(run, one, { ...first }), 200);
      await demandStored(run, one, other, first);
      for (const reader of [one, other]) {
        const dialog = await readDialog(run, reader, reader === one ? other : one);
        expectAbsent(dialog, otherwise[0]?.ciphertext ?? '');
        expectAbsent(dialog, nonce);
      }
    },
  },
  {
    id: 'messages.nonce',
    covers: ['AP-MESSAGE-023'],
    rule: 'A used nonce is 409 nonce_reuse with another id, with the same and with another ciphertext.',
    cost: { writes: 4, messages: 4 },
    async judge(run) {
      const { one, other } = await friendPair(run);
      const first = seal(one, other, 'With this nonce.');
      await sendEnvelope(run, one, first);
      const again = { ...seal(one, other, 'And again.'), nonce: first.nonce };
      const copy = { ...again, ciphertext: first.ciphertext };
      for (const envelope of [again, copy]) {
        expectRefusal(await postMessage(run, one, { ...envelope }), 409, 'nonce_reuse');
      }
      await demandStored(run, one, other, first);
      expectAbsent(await readDialog(run, other, one), again.ciphertext);
      await sendEnvelope(run, one, seal(one, other, 'And again.'));
    },
  },
  {
    id: 'messages.parallel',
    covers: ['AP-MESSAGE-024'],
    rule: 'Four concurrent sends of the same envelope create a single message: 201 once, 200 for the others.',
    cost: { writes: 4, messages: 4 },
    async judge(run) {
      const { one, other } = await friendPair(run);
      const envelope = seal(one, other, 'At once.');
      const answers = await sendConcurrently(
        run,
        one,
        Array.from({ length: 4 }, () => () => postMessage(run, one, { ...envelope })),
      );
      const statuses = answers.map(({ status }) => status).toSorted();
      expect(String(statuses) === '200,200,200,201', `they were answered ${statuses.join(', ')}`, answers[0]);
      await demandStored(run, one, other, envelope);
    },
  },
  {
    id: 'messages.parallel-nonce',
    covers: ['AP-MESSAGE-025'],
    rule: 'Of four concurrent messages with the same nonce a single message is accepted, and the others are nonce_reuse.',
    cost: { writes: 4, messages: 4 },
    async judge(run) {
      const { one, other } = await friendPair(run);
      const nonce = randomBase64(24);
      const envelopes = ['a', 'b', 'c', 'd'].map((text) => ({ ...seal(one, other, text), nonce }));
      const answers = await sendConcurrently(
        run,
        one,
        envelopes.map((envelope) => () => postMessage(run, one, { ...envelope })),
      );
      const taken = answers.filter(({ status }) => status === 201);
      expect(taken.length === 1, `${taken.length} of them were accepted`, answers[0]);
      for (const answer of answers) if (answer.status !== 201) expectRefusal(answer, 409, 'nonce_reuse');
      const dialog = await readDialog(run, other, one);
      for (const [at, envelope] of envelopes.entries()) {
        if (answers[at]?.status === 201) expectEnvelope(dialog, envelope);
        else expectAbsent(dialog, envelope.ciphertext);
      }
    },
  },
];

async function demandStored(run: Run, one: PoolAgent, other: PoolAgent, envelope: Envelope): Promise<void> {
  expectEnvelope(await readDialog(run, one, other), envelope);
  expectEnvelope(await readDialog(run, other, one), envelope);
}
