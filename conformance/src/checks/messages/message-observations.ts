import { randomUUID } from 'node:crypto';
import { generateKeyPair } from '@agent-platform/sdk';
import type { Observation } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { isObject } from '../../context/json.ts';
import { messagesPath } from '../../context/paths.ts';
import type { Run } from '../../context/run.ts';
import { blockedPair } from '../../fixtures/blocked-pair.ts';
import { friendPair } from '../../fixtures/contacts/agent-pairs.ts';
import { envelopeAround, envelopeMembers, randomBase64, seal } from '../../fixtures/messages/envelopes.ts';
import * as dialogs from '../../fixtures/messages/messaging.ts';
import { answerTo, combine, compareAnswer, compareNames, observation, withCommon } from '../observation.ts';
import { otherVersions, plainText } from './envelopes.ts';
import { repeatAfterBlock } from './message-blocks.ts';

const decided = [...envelopeMembers, 'id', 'sender_id', 'created_at', 'expires_at'];

/** Open behaviour of messages, observed between the agents of the pool. */
export const messageObservations: readonly Observation[] = [
  ...withCommon({ cost: { writes: 1, messages: 1 } }, [
    observation('message-members', 'AP-MESSAGE-036', 'Which members does a message have? (D-10)', async (run) => {
      const { one, other } = await friendPair(run);
      await dialogs.sendText(one, other, 'Which members?');
      const { messages } = expect.object(await dialogs.read(one, other));
      const [message] = Array.isArray(messages) ? messages : [];
      return compareNames(Object.keys(isObject(message) ? message : {}), decided);
    }),
    observation('message-containers', 'AP-MESSAGE-037', 'Which containers hold messages? (D-7, D-10)', async (run) => {
      const { one, other } = await friendPair(run);
      const single = await dialogs.send(one, seal(one, other, 'Which member?'));
      return combine({
        list: compareNames(Object.keys(expect.object(await dialogs.read(one, other))), ['messages', 'next_before']),
        single: compareNames(Object.keys(expect.object(single)), ['message']),
      });
    }),
    answerTo(
      'envelope-members',
      'AP-MESSAGE-042',
      'How is an envelope with unknown members handled? (D-21)',
      '400 invalid_fields',
      (run) => sendChanged(run, { mood: 'fine' }),
    ),
    answerTo(
      'message-to-nobody',
      'AP-MESSAGE-045',
      'How is a message to an unknown agent answered? (D-25)',
      '403 contact_not_accepted',
      (run) => sendChanged(run, { recipient_id: randomUUID() }),
    ),
    answerTo(
      'envelope-ids',
      'AP-MESSAGE-047',
      'Which code do malformed ids in an envelope have? (D-22)',
      '400 invalid_id',
      (run) => sendChanged(run, { client_message_id: 'no-uuid' }),
    ),
  ]),
  ...withCommon({ cost: { writes: 4, messages: 4 } }, [
    answerTo(
      'nonce-both-ways',
      'AP-MESSAGE-038',
      'Can the other participant use the same nonce? (D-25)',
      '409 nonce_reuse',
      async (run) => {
        const { one, other } = await friendPair(run);
        const first = await dialogs.sendText(one, other, 'There.');
        return await dialogs.post(other, { ...seal(other, one, 'And back.'), nonce: first.nonce });
      },
    ),
    observation('other-keys', 'AP-MESSAGE-039', 'Are keys compared with the registered keys? (D-25)', async (run) => {
      const { publicKey } = generateKeyPair();
      const compare = async (change: object) => compareAnswer(await sendChanged(run, change), '409 key_changed');
      return combine({
        sender_public_key: await compare({ sender_public_key: publicKey }),
        recipient_public_key: await compare({ recipient_public_key: publicKey }),
      });
    }),
    observation('canonical-base64', 'AP-MESSAGE-040', 'Is base64 in an envelope canonical? (D-23)', async (run) => {
      const { one, other } = await friendPair(run);
      const compare = async (ciphertext: string) =>
        compareAnswer(await dialogs.post(one, envelopeAround(one, other, ciphertext)), '400 invalid_envelope');
      return combine({
        'without padding': await compare(randomBase64(16).replace(/=+$/, '')),
        'with stray bits': await compare(randomBase64(16).replace(/.==$/, 'B==')),
        'in the URL alphabet': await compare(randomBase64(24).replace(/^../, '-_')),
        'in two lines': await compare(randomBase64(24).replace(/^..../, (four) => `${four}\n`)),
      });
    }),
    observation('envelope-needed', 'AP-MESSAGE-041', 'Which code has an invalid envelope? (D-22)', async (run) => {
      const compare = async (change: object) =>
        compareAnswer(await sendChanged(run, change), '400 encrypted_envelope_required');
      return combine({
        'without a nonce': await compare({ nonce: undefined }),
        'with a text': await compare({ text: 'In the clear.' }),
      });
    }),
  ]),
  answerTo(
    'dialog-of-strangers',
    'AP-MESSAGE-043',
    'How is a dialog with a stranger answered? (D-45)',
    '404 not_found',
    async (run) => (await run.primaryAgent()).get(`${messagesPath}?peer=${randomUUID()}`),
  ),
  ...withCommon({ fixtures: [blockedPair, repeatAfterBlock] }, [
    answerTo(
      'repeat-after-block',
      'AP-MESSAGE-044',
      'How is a repeat after a block answered? (D-27)',
      '200',
      repeatAfterBlock,
    ),
  ]),
  ...withCommon({ fixtures: [plainText, otherVersions] }, [
    observation('message-statuses', 'AP-MESSAGE-046', 'Which status do the message codes have?', async (run) => {
      const [, boxV2] = await otherVersions(run);
      return combine({
        'plain text': compareAnswer((await plainText(run)).answer, '400 encrypted_envelope_required'),
        ...(boxV2 === undefined ? {} : { 'another version': compareAnswer(boxV2, '400 unsupported_encryption') }),
      });
    }),
  ]),
  answerTo(
    'messages-before',
    'AP-MESSAGE-048',
    'How is a before outside the dialog handled? (D-7)',
    '404 not_found',
    async (run) => {
      const { one, other } = await friendPair(run);
      return await one.get(`${messagesPath}?peer=${other.id}&before=${randomUUID()}`);
    },
  ),
];

async function sendChanged(run: Run, change: object) {
  const { one, other } = await friendPair(run);
  return await dialogs.post(one, { ...seal(one, other, 'Changed.'), ...change });
}
