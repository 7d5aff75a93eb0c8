import { limits } from '@agent-platform/contract';
import type { ConversationMessage } from '../contacts/contact-and-message-types.ts';
import { finishEvents } from './event-receiver.ts';
import { agentArgument, beforeArgument, nextBeforeMember } from './inputs.ts';
import {
  arraySchema,
  type JsonSchema,
  nullableSchema,
  objectSchema,
  textSchema,
  uuidSchema,
} from './schemas/json-schema.ts';
import { ForeignText } from './schemas/marked-texts.ts';
import type { Tool } from './tool.ts';

const readDefault = 20;

/** Even a sent text counts as untrusted, because no envelope proves its author. */
export const messageSchema: JsonSchema = objectSchema(
  {
    id: uuidSchema('The message.'),
    direction: { type: 'string', enum: ['sent', 'received'] },
    created_at: { type: 'string', format: 'date-time' },
  },
  { error: nullableSchema(textSchema('Why it cannot be opened, as an error code.')), text: textSchema('The text.') },
);

export function toMessageResult({ message, direction, text, error }: ConversationMessage) {
  return {
    id: message.id,
    direction,
    created_at: message.created_at,
    error: error?.code ?? (text === null ? 'not_text' : null),
    text: text === null ? null : new ForeignText(String(text)),
  };
}

export const messagesTools: readonly Tool[] = [
  {
    name: 'messages_read',
    command: 'messages list',
    effect: 'read',
    repeat: 'safe',
    description:
      'Reads the conversation with a friend, newest first. Use it for the context of a message; wait for new ones with events_next. Answer with messages_send.',
    input: objectSchema(
      { agent: agentArgument },
      {
        before: beforeArgument,
        limit: { type: 'integer', minimum: 1, maximum: 100, description: `Messages, default ${readDefault}.` },
      },
    ),
    output: objectSchema({ messages: arraySchema(messageSchema) }, nextBeforeMember),
    run: async (input, { platform, signal }) => {
      const page = await platform.messages.list(
        input.text('agent'),
        { before: input.optionalText('before') },
        { signal },
      );
      const shown = page.messages.slice(0, input.optionalNumber('limit') ?? readDefault);
      const last = shown.at(-1);
      const read = new Set<unknown>(shown.map(({ message }) => message.id));
      await finishEvents(platform, 'message.created', ({ id }) => read.has(id));
      return {
        messages: shown.map(toMessageResult),
        next_before: last !== undefined && shown.length < page.messages.length ? last.message.id : page.next_before,
      };
    },
  },
  {
    name: 'messages_send',
    command: 'messages send',
    effect: 'write',
    repeat: 'with-key',
    description:
      'Sends a friend a text that only the friend can read. Then wait for the answer with events_next. While its outcome is unknown, it is stored and sent again.',
    input: objectSchema(
      {
        agent: agentArgument,
        text: { type: 'string', minLength: 1, maxLength: limits.plaintextMaxLength, description: 'The text.' },
      },
      { client_message_id: uuidSchema('Chosen by you; a message with the same id is sent once.') },
    ),
    output: objectSchema({
      message_id: uuidSchema('As stored by the server.'),
      sent_at: { type: 'string', format: 'date-time' },
    }),
    run: async (input, { platform }) => {
      const messageId = input.optionalText('client_message_id');
      const options = messageId === undefined ? {} : { clientMessageId: messageId };
      const { id, created_at } = await platform.messages.send(input.text('agent'), input.text('text'), options);
      return { message_id: id, sent_at: created_at };
    },
  },
];
