import { type Observation, primaryAgent } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { isObject } from '../../context/json.ts';
import { messagesPath } from '../../context/paths.ts';
import { makeKeyPair } from '../../context/pool/key-pair.ts';
import { friendPair } from '../contacts/agent-pairs.ts';
import { blockedPair } from '../contacts/blocked-pair.ts';
import { combineBehaviours, compareAnswer, compareMemberNames, openQuestion, withStart } from '../observation.ts';
import { plainTextMessage, sendChangedEnvelope, unsupportedVersions } from './envelopes.ts';
import { repeatAfterBlock } from './message-identity.ts';
import * as dialogs from './messaging.ts';
import { envelopeMembers, makeEnvelope, randomBase64, sealText } from './sealing.ts';

const decided = [...envelopeMembers, 'id', 'sender_id', 'created_at', 'expires_at'];

export const messageObservations: readonly Observation[] = [
  ...withStart(friendPair, { cost: { writes: 1, messages: 1 } }, [
    openQuestion(
      'message-members',
      'AP-MESSAGE-036',
      'Which members does a message have?',
      async ({ alice, bob }, run) => {
        await dialogs.sendText(run, alice, bob, 'Which members?');
        const { messages } = expect.object(await dialogs.readDialog(alice, bob));
        const [message] = Array.isArray(messages) ? messages : [];
        return compareMemberNames(isObject(message) ? message : {}, decided);
      },
    ),
    openQuestion(
      'message-containers',
      'AP-MESSAGE-037',
      'Which containers hold messages?',
      async ({ alice, bob }, run) => {
        const single = await dialogs.sendEnvelope(alice, sealText(run, alice, bob, 'Which member?'));
        return await combineBehaviours({
          list: compareMemberNames(expect.object(await dialogs.readDialog(alice, bob)), ['messages', 'next_before']),
          single: compareMemberNames(expect.object(single), ['message']),
        });
      },
    ),
    openQuestion(
      'envelope-members',
      'AP-MESSAGE-042',
      'How is an envelope with unknown members handled?',
      (pair, run) => compareAnswer(sendChangedEnvelope(run, pair, { mood: 'fine' }), '400 invalid_fields'),
    ),
    openQuestion('message-to-nobody', 'AP-MESSAGE-045', 'How is a message to an unknown agent answered?', (pair, run) =>
      compareAnswer(sendChangedEnvelope(run, pair, { recipient_id: run.random.uuid() }), '403 contact_not_accepted'),
    ),
    openQuestion('envelope-ids', 'AP-MESSAGE-047', 'Which code do malformed ids in an envelope have?', (pair, run) =>
      compareAnswer(sendChangedEnvelope(run, pair, { client_message_id: 'no-uuid' }), '400 invalid_id'),
    ),
  ]),
  ...withStart(friendPair, { cost: { writes: 4, messages: 4 } }, [
    openQuestion(
      'nonce-both-ways',
      'AP-MESSAGE-038',
      'Can the other participant use the same nonce?',
      async (pair, run) => {
        const { nonce } = await dialogs.sendText(run, pair.alice, pair.bob, 'There.');
        return await compareAnswer(
          sendChangedEnvelope(run, { alice: pair.bob, bob: pair.alice }, { nonce }),
          '409 nonce_reuse',
        );
      },
    ),
    openQuestion('other-keys', 'AP-MESSAGE-039', 'Are keys compared with the registered keys?', async (pair, run) => {
      const { publicKey } = makeKeyPair(run.world);
      const compare = (change: object) => compareAnswer(sendChangedEnvelope(run, pair, change), '409 key_changed');
      return await combineBehaviours({
        sender_public_key: await compare({ sender_public_key: publicKey }),
        recipient_public_key: await compare({ recipient_public_key: publicKey }),
      });
    }),
    openQuestion(
      'canonical-base64',
      'AP-MESSAGE-040',
      'Is base64 in an envelope canonical?',
      async ({ alice, bob }, run) => {
        const compare = (ciphertext: string) =>
          compareAnswer(dialogs.postMessage(alice, makeEnvelope(run, alice, bob, ciphertext)), '400 invalid_envelope');
        return await combineBehaviours({
          'without padding': await compare(randomBase64(run, 16).replaceAll('=', '')),
          'with stray bits': await compare(randomBase64(run, 16).replace(/.==$/, 'B==')),
          'in the URL alphabet': await compare(randomBase64(run, 24).replace(/^../, '-_')),
          'in two lines': await compare(randomBase64(run, 24).replace(/^..../, (four) => `${four}\n`)),
        });
      },
    ),
    openQuestion(
      'envelope-needed',
      'AP-MESSAGE-041',
      'Which code does an invalid envelope have?',
      async (pair, run) => {
        const compare = (change: object) =>
          compareAnswer(sendChangedEnvelope(run, pair, change), '400 encrypted_envelope_required');
        return await combineBehaviours({
          'without a nonce': await compare({ nonce: undefined }),
          'with a text': await compare({ text: 'In the clear.' }),
        });
      },
    ),
  ]),
  ...withStart(primaryAgent, {}, [
    openQuestion('dialog-of-strangers', 'AP-MESSAGE-043', 'How is a dialog with a stranger answered?', (agent, run) =>
      compareAnswer(agent.get(`${messagesPath}?peer=${run.random.uuid()}`), '404 not_found'),
    ),
  ]),
  ...withStart(repeatAfterBlock, { fixtures: [blockedPair] }, [
    openQuestion('repeat-after-block', 'AP-MESSAGE-044', 'How is a repeat after a block answered?', (answer) =>
      compareAnswer(answer, '200'),
    ),
  ]),
  ...withStart(plainTextMessage, { fixtures: [unsupportedVersions] }, [
    openQuestion(
      'message-statuses',
      'AP-MESSAGE-046',
      'Which status do the message codes have?',
      async ({ answer }, run) => {
        const [, boxV2] = await unsupportedVersions(run);
        return await combineBehaviours({
          'plain text': compareAnswer(answer, '400 encrypted_envelope_required'),
          ...(boxV2 === undefined ? {} : { 'another version': compareAnswer(boxV2, '400 unsupported_encryption') }),
        });
      },
    ),
  ]),
  ...withStart(friendPair, {}, [
    openQuestion(
      'messages-before',
      'AP-MESSAGE-048',
      'How is a before outside the dialog handled?',
      ({ alice, bob }, run) => compareAnswer(dialogs.requestDialog(alice, bob, run.random.uuid()), '404 not_found'),
    ),
  ]),
];
