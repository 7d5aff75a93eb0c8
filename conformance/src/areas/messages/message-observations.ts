import { type Observation, primaryAgent } from '../../context/check.ts';
import { expect } from '../../context/expectations.ts';
import { isObject } from '../../context/json.ts';
import { messagesPath } from '../../context/paths.ts';
import { makeKeyPair } from '../../context/pool/key-pair.ts';
import { friendPair } from '../contacts/agent-pairs.ts';
import { blockedPair } from '../contacts/blocked-pair.ts';
import { choice, combine, compareAnswer, compareNames, from } from '../observation.ts';
import { otherVersions, plainText, sendChanged } from './envelopes.ts';
import { repeatAfterBlock } from './message-identity.ts';
import * as dialogs from './messaging.ts';
import { envelopeAround, envelopeMembers, randomBase64, seal } from './sealing.ts';

const decided = [...envelopeMembers, 'id', 'sender_id', 'created_at', 'expires_at'];

/** Message behaviour that the specification leaves open, observed between agents of the pool. */
export const messageObservations: readonly Observation[] = [
  ...from(friendPair, { cost: { writes: 1, messages: 1 } }, [
    choice('message-members', 'AP-MESSAGE-036', 'Which members does a message have?', async ({ alice, bob }, run) => {
      await dialogs.sendText(run, alice, bob, 'Which members?');
      const { messages } = expect.object(await dialogs.read(alice, bob));
      const [message] = Array.isArray(messages) ? messages : [];
      return compareNames(isObject(message) ? message : {}, decided);
    }),
    choice('message-containers', 'AP-MESSAGE-037', 'Which containers hold messages?', async ({ alice, bob }, run) => {
      const single = await dialogs.send(alice, seal(run, alice, bob, 'Which member?'));
      return await combine({
        list: compareNames(expect.object(await dialogs.read(alice, bob)), ['messages', 'next_before']),
        single: compareNames(expect.object(single), ['message']),
      });
    }),
    choice('envelope-members', 'AP-MESSAGE-042', 'How is an envelope with unknown members handled?', (pair, run) =>
      compareAnswer(sendChanged(run, pair, { mood: 'fine' }), '400 invalid_fields'),
    ),
    choice('message-to-nobody', 'AP-MESSAGE-045', 'How is a message to an unknown agent answered?', (pair, run) =>
      compareAnswer(sendChanged(run, pair, { recipient_id: run.random.uuid() }), '403 contact_not_accepted'),
    ),
    choice('envelope-ids', 'AP-MESSAGE-047', 'Which code do malformed ids in an envelope have?', (pair, run) =>
      compareAnswer(sendChanged(run, pair, { client_message_id: 'no-uuid' }), '400 invalid_id'),
    ),
  ]),
  ...from(friendPair, { cost: { writes: 4, messages: 4 } }, [
    choice('nonce-both-ways', 'AP-MESSAGE-038', 'Can the other participant use the same nonce?', async (pair, run) => {
      const { nonce } = await dialogs.sendText(run, pair.alice, pair.bob, 'There.');
      return await compareAnswer(sendChanged(run, { alice: pair.bob, bob: pair.alice }, { nonce }), '409 nonce_reuse');
    }),
    choice('other-keys', 'AP-MESSAGE-039', 'Are keys compared with the registered keys?', async (pair, run) => {
      const { publicKey } = makeKeyPair(run.world);
      const compare = (change: object) => compareAnswer(sendChanged(run, pair, change), '409 key_changed');
      return await combine({
        sender_public_key: await compare({ sender_public_key: publicKey }),
        recipient_public_key: await compare({ recipient_public_key: publicKey }),
      });
    }),
    choice('canonical-base64', 'AP-MESSAGE-040', 'Is base64 in an envelope canonical?', async ({ alice, bob }, run) => {
      const compare = (ciphertext: string) =>
        compareAnswer(dialogs.post(alice, envelopeAround(run, alice, bob, ciphertext)), '400 invalid_envelope');
      return await combine({
        'without padding': await compare(randomBase64(run, 16).replaceAll('=', '')),
        'with stray bits': await compare(randomBase64(run, 16).replace(/.==$/, 'B==')),
        'in the URL alphabet': await compare(randomBase64(run, 24).replace(/^../, '-_')),
        'in two lines': await compare(randomBase64(run, 24).replace(/^..../, (four) => `${four}\n`)),
      });
    }),
    choice('envelope-needed', 'AP-MESSAGE-041', 'Which code does an invalid envelope have?', async (pair, run) => {
      const compare = (change: object) =>
        compareAnswer(sendChanged(run, pair, change), '400 encrypted_envelope_required');
      return await combine({
        'without a nonce': await compare({ nonce: undefined }),
        'with a text': await compare({ text: 'In the clear.' }),
      });
    }),
  ]),
  ...from(primaryAgent, {}, [
    choice('dialog-of-strangers', 'AP-MESSAGE-043', 'How is a dialog with a stranger answered?', (agent, run) =>
      compareAnswer(agent.get(`${messagesPath}?peer=${run.random.uuid()}`), '404 not_found'),
    ),
  ]),
  ...from(repeatAfterBlock, { fixtures: [blockedPair] }, [
    choice('repeat-after-block', 'AP-MESSAGE-044', 'How is a repeat after a block answered?', (answer) =>
      compareAnswer(answer, '200'),
    ),
  ]),
  ...from(plainText, { fixtures: [otherVersions] }, [
    choice('message-statuses', 'AP-MESSAGE-046', 'Which status do the message codes have?', async ({ answer }, run) => {
      const [, boxV2] = await otherVersions(run);
      return await combine({
        'plain text': compareAnswer(answer, '400 encrypted_envelope_required'),
        ...(boxV2 === undefined ? {} : { 'another version': compareAnswer(boxV2, '400 unsupported_encryption') }),
      });
    }),
  ]),
  ...from(friendPair, {}, [
    choice('messages-before', 'AP-MESSAGE-048', 'How is a before outside the dialog handled?', ({ alice, bob }, run) =>
      compareAnswer(dialogs.tryRead(alice, bob, run.random.uuid()), '404 not_found'),
    ),
  ]),
];
