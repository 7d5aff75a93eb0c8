import {
  type AgentPlatform,
  type ConversationMessage,
  EnvelopeError,
  isPlatformError,
  KeyChangedError,
  type Peer,
  unfenced,
} from '@agent-platform/sdk';
import { Argument } from 'commander';
import { toFailure } from '../../errors/failure.ts';
import { dialogMessageMembers } from '../../output/record-fields.ts';
import type { StreamItem } from '../../output/report.ts';
import { explainStream } from '../../output/request-trace.ts';
import { toVisibleLine } from '../../output/visible-text.ts';
import { loadContact } from '../../session/find-agent.ts';
import { openAgent, type Session } from '../../session/session.ts';
import { verb } from '../command.ts';
import { isMessage } from '../events/open-event.ts';
import { merge } from './merge.ts';
import { describeMessage, layOutMessage } from './message-format.ts';

const shownAtFirst = 20;

/** A conversation with a friend. */
export const chat = verb({
  path: ['chat'],
  summary: 'talk with a friend: each line is a sealed message',
  description:
    'Shows the last messages and then what arrives; end it with Ctrl-D. What you have seen here is finished in the spool. Into a pipe it prints one line of JSON for each message, and sends each line of stdin.',
  examples: ['agentp chat bob', 'echo "Are you there?" | agentp chat bob'],
  arguments: [new Argument('<friend>', 'its handle or id')],
  members: dialogMessageMembers,
  parse: (typed) => ({ friend: typed.argument(0) }),
  run: async ({ friend }, session) => {
    const { platform } = await openAgent(session, explainStream(session.io));
    const { peer } = await loadContact(platform, friend, session.io.signal);
    return { kind: 'stream', items: talk(platform, peer, session) };
  },
});

async function* talk(platform: AgentPlatform, peer: Peer, session: Session): AsyncGenerator<StreamItem> {
  const { io } = session;
  const { signal } = io;
  const isTyping = io.stdin.isTerminal && io.stdout.isTerminal;
  const { readable } = await platform.contacts.checkKey(peer, { signal });
  io.stderr.write(
    `Talking with ${peer.handle} (${toVisibleLine(unfenced(peer.display_name))}), key ${readable.slice(0, 19)}…; Ctrl-D ends it.\n`,
  );
  const ending = new AbortController();
  // Before the history is read: what arrives in between is in one of the two.
  const followed = platform.events.follow({ signal: AbortSignal.any([signal, ending.signal]) });
  const first = followed.next();
  first.catch(() => undefined);
  await platform.messages.resume({ signal });
  const shown = new Set<string>();
  const show = (item: ConversationMessage, isOnScreen = false): StreamItem => {
    shown.add(item.message.id);
    return {
      data: describeMessage(item),
      show: (page) => (isOnScreen ? '' : layOutMessage(item, peer.handle, page)),
    };
  };
  const { messages } = await platform.messages.list(peer.id, {}, { signal });
  for (const item of messages.slice(0, shownAtFirst).toReversed()) yield show(item);

  const arriving = async function* (): AsyncGenerator<StreamItem> {
    for (let step = await first; step.done !== true; step = await followed.next()) {
      const event = step.value;
      if (!isMessage(event) || event.payload.sender_id !== peer.id) continue;
      if (!shown.has(event.payload.id)) yield show(await openItem(platform, event.payload));
      await platform.events.done(event.event_id);
    }
  };
  const typed = async function* (): AsyncGenerator<StreamItem> {
    try {
      for await (const line of io.stdin.lines('> ', ending.signal)) {
        if (line.trim() === '') continue;
        const sent = await send(platform, peer, line, session);
        // What was typed on a terminal stands there already.
        if (sent !== undefined) yield show(sent, isTyping);
      }
    } finally {
      ending.abort();
    }
  };
  try {
    yield* merge(arriving(), typed());
  } finally {
    ending.abort();
  }
}

async function openItem(
  platform: AgentPlatform,
  message: ConversationMessage['message'],
): Promise<ConversationMessage> {
  try {
    return await platform.messages.open(message);
  } catch (error) {
    if (!(error instanceof EnvelopeError || error instanceof KeyChangedError)) throw error;
    return { message, direction: 'received', bytes: null, text: null, error };
  }
}

// One message that does not go out is told and does not end the conversation.
async function send(
  platform: AgentPlatform,
  peer: Peer,
  line: string,
  { io }: Session,
): Promise<ConversationMessage | undefined> {
  try {
    const message = await platform.messages.send(peer, line, { signal: io.signal });
    return await openItem(platform, message);
  } catch (error) {
    if (!isPlatformError(error)) throw error;
    const { report } = toFailure(error);
    const cure = report.code === 'message_pending' ? 'It is kept: agentp messages resume' : report.cure;
    io.stderr.write(`${toVisibleLine(`agentp: not sent: ${report.message}${cure === undefined ? '' : ` ${cure}`}`)}\n`);
    return undefined;
  }
}
