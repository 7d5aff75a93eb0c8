import { randomUUID } from 'node:crypto';
import { generateKeyPair } from '@agent-platform/sdk';
import type { Observation } from '../../context/check.ts';
import { expectObject } from '../../context/expectations.ts';
import { isObject } from '../../context/json.ts';
import { messagesPath } from '../../context/paths.ts';
import { friendPair } from '../../fixtures/contacts/leases.ts';
import { envelopeAround, envelopeMembers, randomBase64, seal } from '../../fixtures/messages/envelopes.ts';
import { postMessage, readDialog, sendEnvelope } from '../../fixtures/messages/messaging.ts';
import { answeredWith, both } from '../contacts/contact-observations.ts';
import { observation } from '../observation.ts';

const oneMessage = { writes: 1, messages: 1 };
const decided = [...envelopeMembers, 'id', 'sender_id', 'created_at', 'expires_at'];

/** What servers may choose of messages, seen between the two that stay friends. */
export const messageObservations: readonly Observation[] = [
  observation(
    'message-members',
    'AP-MESSAGE-036',
    'Which members does a message have? (D-10)',
    async (run) => {
      const { one, other } = await friendPair(run);
      await sendEnvelope(run, one, seal(one, other, 'What do you have?'));
      const { messages } = expectObject(await readDialog(run, one, other)) as { readonly messages?: unknown };
      const [message] = Array.isArray(messages) ? messages : [];
      const names = Object.keys(isObject(message) ? message : {});
      return { observed: names.join(', '), matchesDecision: names.toSorted().join() === decided.toSorted().join() };
    },
    oneMessage,
  ),
  observation(
    'message-containers',
    'AP-MESSAGE-037',
    'Which containers hold messages? (D-7, D-10)',
    async (run) => {
      const { one, other } = await friendPair(run);
      const single = Object.keys(expectObject(await sendEnvelope(run, one, seal(one, other, 'Where do you stand?'))));
      const list = Object.keys(expectObject(await readDialog(run, one, other)));
      const asDecided = list.toSorted().join() === 'messages,next_before' && single.join() === 'message';
      return { observed: `lists: ${list.join(', ')}; single ones: ${single.join(', ')}`, matchesDecision: asDecided };
    },
    oneMessage,
  ),
  observation(
    'nonce-both-ways',
    'AP-MESSAGE-038',
    'Can the other participant use the same nonce? (D-25)',
    async (run) => {
      const { one, other } = await friendPair(run);
      const first = seal(one, other, 'There.');
      await sendEnvelope(run, one, first);
      const back = { ...seal(other, one, 'And back.'), nonce: first.nonce };
      return answeredWith(await postMessage(run, other, back), 409, 'nonce_reuse');
    },
    { writes: 2, messages: 2 },
  ),
  observation(
    'other-keys',
    'AP-MESSAGE-039',
    'Are keys compared with the registered keys? (D-25)',
    async (run) => {
      const { one, other } = await friendPair(run);
      const { publicKey } = generateKeyPair();
      const withKey = async (name: 'sender_public_key' | 'recipient_public_key') => {
        const answer = await postMessage(run, one, { ...seal(one, other, 'With another key.'), [name]: publicKey });
        return [name, answeredWith(answer, 409, 'key_changed')] as const;
      };
      return both(await withKey('sender_public_key'), await withKey('recipient_public_key'));
    },
    { writes: 2, messages: 2 },
  ),
  observation(
    'canonical-base64',
    'AP-MESSAGE-040',
    'Is base64 in an envelope canonical? (D-23)',
    async (run) => {
      const { one, other } = await friendPair(run);
      const sent = async (what: string, ciphertext: string) => {
        const answer = await postMessage(run, one, { ...envelopeAround(one, other, ciphertext) });
        return [what, answeredWith(answer, 400, 'invalid_envelope')] as const;
      };
      return both(
        await sent('without padding', randomBase64(16).replace(/=+$/, '')),
        await sent('with stray bits', randomBase64(16).replace(/.==$/, 'B==')),
        await sent('for addresses', randomBase64(24).replace(/^../, '-_')),
        await sent(
          'in two lines',
          randomBase64(24).replace(/^..../, (four) => `${four}\n`),
        ),
      );
    },
    { writes: 4, messages: 4 },
  ),
  observation(
    'envelope-needed',
    'AP-MESSAGE-041',
    'Which code does an invalid envelope have? (D-22)',
    async (run) => {
      const { one, other } = await friendPair(run);
      const { nonce: _, ...rest } = seal(one, other, 'In part.');
      const beside = { ...seal(one, other, 'Sealed.'), text: 'In the clear.' };
      return both(
        ['without a nonce', answeredWith(await postMessage(run, one, rest), 400, 'encrypted_envelope_required')],
        ['with a text', answeredWith(await postMessage(run, one, beside), 400, 'encrypted_envelope_required')],
      );
    },
    { writes: 2, messages: 2 },
  ),
  observation(
    'envelope-members',
    'AP-MESSAGE-042',
    'How is an envelope with unknown members handled? (D-21)',
    async (run) => {
      const { one, other } = await friendPair(run);
      const envelope = { ...seal(one, other, 'And more.'), mood: 'fine' };
      return answeredWith(await postMessage(run, one, envelope), 400, 'invalid_fields');
    },
    oneMessage,
  ),
  observation(
    'dialog-of-strangers',
    'AP-MESSAGE-043',
    'How is a dialog with a stranger answered? (D-45)',
    async (run) => {
      const { token } = await run.primaryAgent();
      const nobody = await run.send({ path: `${messagesPath}?peer=${randomUUID()}`, token });
      return answeredWith(nobody, 404, 'not_found');
    },
  ),
  observation('repeat-after-block', 'AP-MESSAGE-044', 'How is a repeat after a block answered? (D-27)', async (run) => {
    return answeredWith(run.recall('repeat after a block'), 200);
  }),
  observation(
    'message-to-nobody',
    'AP-MESSAGE-045',
    'How is a message to an unknown agent answered? (D-25)',
    async (run) => {
      const { one, other } = await friendPair(run);
      const envelope = { ...seal(one, other, 'To nobody.'), recipient_id: randomUUID() };
      return answeredWith(await postMessage(run, one, envelope), 403, 'contact_not_accepted');
    },
    oneMessage,
  ),
  observation('message-statuses', 'AP-MESSAGE-046', 'Which status do the message codes have?', async (run) => {
    return both(
      ['plain text', answeredWith(run.recall('plain text'), 400, 'encrypted_envelope_required')],
      ['another version', answeredWith(run.recall('other encryption'), 400, 'unsupported_encryption')],
    );
  }),
  observation(
    'envelope-ids',
    'AP-MESSAGE-047',
    'Which code do malformed ids in an envelope have? (D-22)',
    async (run) => {
      const { one, other } = await friendPair(run);
      const envelope = { ...seal(one, other, 'No.'), client_message_id: 'no-uuid' };
      return answeredWith(await postMessage(run, one, envelope), 400, 'invalid_id');
    },
    oneMessage,
  ),
  observation('messages-before', 'AP-MESSAGE-048', 'How is a before outside the dialog handled? (D-7)', async (run) => {
    const { one, other } = await friendPair(run);
    const unknown = await run.send({
      path: `${messagesPath}?peer=${other.id}&before=${randomUUID()}`,
      token: one.token,
    });
    return answeredWith(unknown, 404, 'not_found');
  }),
];
