import { limits, listMessages } from '@agent-platform/contract';
import type { ConversationMessage } from '../contacts/contact-and-message-types.ts';
import { agent, before } from './inputs.ts';
import { arrayOf, freeText, type JsonSchema, memberOf, object, orNull, uuid } from './schemas/json-schema.ts';
import { fenceText, untrustedTexts } from './schemas/record-view.ts';
import type { Tool } from './tool.ts';

/** An opened message. Its text is untrusted in both directions: the envelope does not prove which of the two wrote it. */
export const messageSchema: JsonSchema = object({
  id: uuid('The message.'),
  direction: { type: 'string', enum: ['sent', 'received'] },
  created_at: { type: 'string', format: 'date-time' },
  error: orNull(freeText('Why it cannot be opened, as an error code.')),
  untrusted: untrustedTexts(['text']),
});

/** Shows a message of a conversation. */
export function showMessage({ message, direction, text, error }: ConversationMessage) {
  return {
    id: message.id,
    direction,
    created_at: message.created_at,
    error: error?.code ?? (text === null ? 'not_text' : null),
    untrusted: { text: fenceText(text) },
  };
}

/** The tools for messages. */
export const messagesTools: readonly Tool[] = [
  {
    name: 'messages_read',
    command: 'messages list',
    description: 'Up to 100 at a time, newest first. Not for polling: new messages arrive with events_next.',
    input: object({ friend: agent }, { before, limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 } }),
    output: object({
      messages: arrayOf(messageSchema),
      next_before: memberOf(listMessages.replies[200], 'next_before'),
    }),
    run: async (input, { platform, signal }) => {
      const page = await platform.messages.list(
        input.text('friend'),
        { before: input.optionalText('before') },
        { signal },
      );
      const shown = page.messages.slice(0, input.optionalNumber('limit') ?? 20);
      const last = shown.at(-1);
      return {
        messages: shown.map(showMessage),
        next_before: last !== undefined && shown.length < page.messages.length ? last.message.id : page.next_before,
      };
    },
  },
  {
    name: 'messages_send',
    command: 'messages send',
    description: `Only the friend can read it. At most ${limits.plaintextMaxLength} characters, and ${limits.messagesPerMinute} messages a minute. A message without a known outcome is stored and sent again by itself.`,
    input: object(
      {
        friend: agent,
        text: { type: 'string', minLength: 1, maxLength: limits.plaintextMaxLength, description: 'The text.' },
      },
      { message_id: uuid('Chosen by you. A repeat with the same id does not send the message twice.') },
    ),
    output: object({ message_id: uuid('As stored by the server.'), sent_at: { type: 'string', format: 'date-time' } }),
    run: async (input, { platform }) => {
      const messageId = input.optionalText('message_id');
      const options = messageId === undefined ? {} : { clientMessageId: messageId };
      const { id, created_at } = await platform.messages.send(input.text('friend'), input.text('text'), options);
      return { message_id: id, sent_at: created_at };
    },
  },
];
