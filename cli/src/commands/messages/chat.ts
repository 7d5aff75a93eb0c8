import { defineCommand, parseFirstArgument } from '@agent-platform/cli-core/command';
import { toFailure } from '@agent-platform/cli-core/errors/to-failure';
import type { StreamItem } from '@agent-platform/cli-core/output/report';
import { makeStreamChangeHooks } from '@agent-platform/cli-core/output/request-trace';
import { toVisibleLine } from '@agent-platform/cli-core/output/visible-text';
import { requireContact } from '@agent-platform/cli-core/session/find-agent';
import { type OpenedAgent, openAgent } from '@agent-platform/cli-core/session/session';
import * as sdk from '@agent-platform/sdk';
import { Argument } from 'commander';
import { isMessageEvent } from '../events/open-event.ts';
import { dialogMessageSchema } from '../output-records.ts';
import { mergeStreams } from './merge-streams.ts';
import { describeMessage, formatMessage } from './message-format.ts';

const historyMessages = 20;

export const chatCommand = defineCommand({
  path: ['chat'],
  effect: 'write',
  repeat: 'never',
  operations: ['sendMessage', 'listMessages', 'listContacts'],
  summary: 'chat with a friend: each line is a sealed message',
  description:
    'Shows the latest messages and then each new message; Ctrl-D ends the chat. Messages shown here are marked as done in the event inbox. In a pipe it prints one line of JSON for each message, and sends each line of stdin.',
  examples: ['agentp chat bob', 'echo "Are you there?" | agentp chat bob'],
  arguments: [new Argument('<friend>', 'handle or id')],
  prints: 'lines',
  out: dialogMessageSchema,
  parse: parseFirstArgument,
  run: async (friend, session) => {
    const agent = await openAgent(session, makeStreamChangeHooks(session.io));
    const { peer } = await requireContact(agent.platform, friend, agent.signal);
    return { items: converse(agent, peer) };
  },
});

async function* converse(agent: OpenedAgent, peer: sdk.Peer): AsyncGenerator<StreamItem> {
  const { platform, io, signal } = agent;
  const isTyping = io.stdin.isTerminal && io.stdout.isTerminal;
  const { readable } = await platform.contacts.checkKey(peer, { signal });
  io.stderr.write(
    `Chat with ${toVisibleLine(`${peer.handle} (${sdk.unfenced(peer.display_name)})`)}, key ${readable.slice(0, 19)}…; Ctrl-D ends it.\n`,
  );
  const ending = new AbortController();
  // Starts to follow events before it reads the history, so that no message that arrives in between is missed.
  const followed = platform.events.follow({ signal: AbortSignal.any([signal, ending.signal]) });
  const first = followed.next();
  // `arriving` awaits this promise; the catch only prevents an unhandled rejection.
  first.catch(() => undefined);
  await platform.messages.resume({ signal });
  const printed = new Set<string>();
  const toItem = (item: sdk.ConversationMessage, isOnScreen = false): StreamItem => {
    printed.add(item.message.id);
    return {
      data: describeMessage(item),
      format: (page) => (isOnScreen ? '' : formatMessage(page, item, peer.handle)),
    };
  };
  const { messages } = await platform.messages.list(peer.id, {}, { signal });
  for (const item of messages.slice(0, historyMessages).toReversed()) yield toItem(item);

  const arriving = async function* (): AsyncGenerator<StreamItem> {
    for (let step = await first; step.done !== true; step = await followed.next()) {
      const event = step.value;
      if (!isMessageEvent(event) || event.payload.sender_id !== peer.id) continue;
      if (!printed.has(event.payload.id)) yield toItem(await openMessage(agent, event.payload));
      await platform.events.done(event.event_id);
    }
  };
  const typed = async function* (): AsyncGenerator<StreamItem> {
    let failure: unknown;
    try {
      for await (const line of io.stdin.lines('> ', ending.signal)) {
        if (line.trim() === '') continue;
        try {
          const sent = await openMessage(agent, await platform.messages.send(peer, line, { signal }));
          // A line typed on a terminal is already visible.
          yield toItem(sent, isTyping);
        } catch (error) {
          reportUnsent(error, io);
          failure ??= error;
        }
      }
      // A person has read the reports; a script needs the exit code.
      if (failure !== undefined && !io.stdin.isTerminal) throw failure;
    } finally {
      ending.abort();
    }
  };
  try {
    yield* mergeStreams(arriving(), typed());
  } finally {
    ending.abort();
  }
}

type Message = sdk.ConversationMessage['message'];

async function openMessage({ platform }: OpenedAgent, message: Message): Promise<sdk.ConversationMessage> {
  try {
    return await platform.messages.open(message);
  } catch (error) {
    if (!(error instanceof sdk.EnvelopeError || error instanceof sdk.KeyChangedError)) throw error;
    return { message, direction: 'received', bytes: null, text: null, error };
  }
}

// A message that cannot be sent is reported and does not end the chat.
function reportUnsent(error: unknown, io: OpenedAgent['io']): void {
  if (!sdk.isPlatformError(error)) throw error;
  const { message, hint } = toFailure(error, 'agentp chat').report;
  io.stderr.write(`${toVisibleLine(`agentp: not sent: ${message} ${hint}`)}\n`);
}
