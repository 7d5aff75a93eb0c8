import {
  type CommandGroup,
  defineAgentCommand,
  parseFirstArgument,
  parseNoInput,
} from '@agent-platform/cli-core/command';
import { exitCodes } from '@agent-platform/cli-core/errors/exit-codes';
import { CommandError, type Failure, makeFailure, UsageError, withHint } from '@agent-platform/cli-core/errors/failure';
import { defineListCommand } from '@agent-platform/cli-core/list-command';
import { declareTextFile, isUuid, readTextArgument } from '@agent-platform/cli-core/options/option-groups';
import type { ParsedArguments } from '@agent-platform/cli-core/options/parsed-arguments';
import { formatCard, formatTable } from '@agent-platform/cli-core/output/layout';
import { formatTime } from '@agent-platform/cli-core/output/values';
import { addContactHintOnFailure, requireContact } from '@agent-platform/cli-core/session/find-agent';
import type { OpenedAgent } from '@agent-platform/cli-core/session/session';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import { type ConversationMessage, MessagePendingError, type Peer, unfenced } from '@agent-platform/sdk';
import { Argument, Option } from 'commander';
import { dialogMessageSchema } from '../output-records.ts';
import { describeMessage, formatMessage, formatMessageText } from './message-format.ts';

const friendArgument = () => new Argument('<friend>', 'handle or id');

const pendingHint = 'It is stored. To send it again (it is delivered only once): agentp messages resume';

export const messagesCommands: CommandGroup = {
  noun: 'messages',
  summary: 'sealed messages: send and read',
  commands: [
    defineAgentCommand({
      path: ['messages', 'send'],
      effect: 'write',
      repeat: 'with-key',
      operations: ['sendMessage', 'listContacts'],
      summary: 'seal a message for a friend and send it',
      description:
        'Up to 8,000 characters and 15,000 bytes. The sealed message is stored before it is sent, so it is neither lost nor sent twice: agentp messages resume repeats a message without a response.',
      examples: [
        'agentp messages send bob "Hello, Bob"',
        'echo "a longer text" | agentp messages send bob --text-file -',
      ],
      arguments: [friendArgument(), new Argument('[text]', 'the message')],
      options: [
        declareTextFile(),
        new Option('--message-id <uuid>', 'a repeat with the same id sends the message once; default: a random id'),
      ],
      out: schema.contractRecord('Message'),
      parse: parseNewMessage,
      request: async ({ platform, signal, io }, { friend, text, clientMessageId }) =>
        withHint(
          addContactHintOnFailure(
            { platform, signal },
            friend,
            platform.messages.send(friend, await text(io), { clientMessageId, signal }),
          ),
          (error) => (error instanceof MessagePendingError ? pendingHint : undefined),
        ),
      format: (page, message, _, { friend }) =>
        formatCard(page, `Sent to ${friend}`, [
          ['id', message.id],
          ['sent', formatTime(message.created_at, page.now)],
          ['kept until', formatTime(message.expires_at, page.now)],
        ]),
    }),
    defineListCommand({
      path: ['messages', 'list'],
      operations: ['listMessages', 'listContacts'],
      summary: 'read the messages with a friend, decrypted',
      description: 'JSON lists the newest message first, as the server does; text lists it last.',
      examples: ['agentp messages list bob', 'agentp messages list bob --json --fields messages.text'],
      arguments: [friendArgument()],
      name: 'messages',
      entry: dialogMessageSchema,
      parse: parseFirstArgument,
      read: readDialog,
      data: ({ item }) => describeMessage(item),
      format: (page, messages) => {
        const texts = messages.map(({ item, peer }) => formatMessage(page, item, peer.handle));
        return texts.length === 0 ? 'No messages.\n' : texts.reverse().join('');
      },
    }),
    defineAgentCommand({
      path: ['messages', 'show'],
      effect: 'read',
      repeat: 'safe',
      operations: ['listMessages', 'listContacts'],
      summary: 'show a message, decrypted',
      examples: ['agentp messages show bob 01a1fe84-bb38-7733-9b89-212d42644965'],
      arguments: [friendArgument(), new Argument('<id>', 'the id of the message, as in agentp messages list')],
      out: dialogMessageSchema,
      parse: (args) => ({ friend: args.argument(0), id: args.argument(1).toLowerCase() }),
      request: findMessage,
      data: ({ item }) => describeMessage(item),
      format: (page, { item, peer }) =>
        formatCard(page, item.direction === 'sent' ? `To ${peer.handle}` : `From ${peer.handle}`, [
          ['name', unfenced(peer.display_name)],
          ['id', item.message.id],
          ['sent', formatTime(item.message.created_at, page.now)],
          ['kept until', formatTime(item.message.expires_at, page.now)],
          ['text', formatMessageText(item)],
        ]),
    }),
    defineAgentCommand({
      path: ['messages', 'resume'],
      effect: 'write',
      repeat: 'idempotent',
      operations: ['sendMessage'],
      summary: 'send again every message that has no response, with the same bytes',
      examples: ['agentp messages resume'],
      out: schema.objectOf({
        messages: schema.listOf(
          schema.objectOf({
            client_message_id: schema.id,
            recipient_id: schema.id,
            outcome: schema.text,
            error: schema.orNull(schema.objectOf({ code: schema.text, message: schema.text })),
          }),
        ),
      }),
      parse: parseNoInput,
      request: async ({ platform, signal }) => ({
        messages: (await platform.messages.resume({ signal })).map((resumed) => ({
          client_message_id: resumed.clientMessageId,
          recipient_id: resumed.recipientId,
          outcome: resumed.outcome,
          error: resumed.error === null ? null : { code: resumed.error.code, message: resumed.error.message },
        })),
      }),
      format: (page, { messages }) =>
        formatTable(
          page,
          messages,
          [
            ['MESSAGE', (message) => message.client_message_id],
            ['TO', (message) => message.recipient_id],
            ['OUTCOME', (message) => message.outcome],
            ['ERROR', (message) => message.error?.code ?? ''],
          ],
          'Every message has been sent.',
        ),
      failure: ({ messages }) => pendingFailure(messages),
    }),
  ],
};

function parseNewMessage(args: ParsedArguments) {
  const text = readTextArgument(args, 1);
  if (text === undefined) {
    throw new UsageError('A message requires a text.', 'Pass it as an argument or with --text-file FILE.');
  }
  const clientMessageId = args.text('message-id');
  if (clientMessageId !== undefined && !isUuid(clientMessageId)) {
    throw new UsageError(`--message-id "${clientMessageId}" is not a UUID.`, 'For example: --message-id "$(uuidgen)"');
  }
  return { friend: args.argument(0), text, clientMessageId };
}

interface DialogEntry {
  readonly item: ConversationMessage;
  readonly peer: Peer;
}

async function* readDialog({ platform, signal }: OpenedAgent, friend: string): AsyncGenerator<DialogEntry> {
  const { peer } = await requireContact(platform, friend, signal);
  for await (const item of platform.messages.list(peer.id, {}, { signal })) yield { item, peer };
}

async function findMessage(
  agent: OpenedAgent,
  { friend, id }: { readonly friend: string; readonly id: string },
): Promise<DialogEntry> {
  for await (const entry of readDialog(agent, friend)) if (entry.item.message.id === id) return entry;
  throw new CommandError(
    exitCodes.notFound,
    'message_not_found',
    `The dialog with ${friend} has no message ${id}.`,
    `See agentp messages list ${friend}`,
  );
}

function pendingFailure(messages: readonly { readonly outcome: string }[]): Failure | undefined {
  const pending = messages.filter(({ outcome }) => outcome === 'pending').length;
  if (pending === 0) return undefined;
  const message = `${pending} of ${messages.length} messages still have no response.`;
  const { exitCode, report } = makeFailure(
    exitCodes.unavailable,
    'message_pending',
    message,
    'Try again later: agentp messages resume',
  );
  return { exitCode, report: { ...report, retryable: true } };
}
