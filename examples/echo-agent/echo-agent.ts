import { createHash } from 'node:crypto';
import { type AgentPlatform, isPlatformError, type Message, unfenced } from '@agent-platform/sdk';

/** What the agent says of its own doings, a line at a time. */
export type Log = (line: string) => void;

/**
 * Accepts every request and answers every message with its own text, until the
 * signal aborts. It can be killed at any moment and started again: what was
 * received is in the inbox, what was sealed is in the outbox, and no message
 * gets two answers.
 */
export async function runEchoAgent(platform: AgentPlatform, log: Log, signal: AbortSignal): Promise<void> {
  // Answers that an earlier life had sealed and perhaps not sent.
  for (const { clientMessageId, outcome } of await platform.messages.resume()) log(`${clientMessageId}: ${outcome}`);

  platform.events.on('contact.requested', async ({ payload }) => {
    await unlessRefused(log, () => platform.contacts.accept(payload.contact_id));
    log(`friends with ${payload.peer.handle}`);
  });
  platform.events.on('message.created', async ({ payload }) => {
    await unlessRefused(log, () => answer(platform, payload));
    log(`answered ${payload.id}`);
  });
  await platform.events.run({ signal });
}

async function answer(platform: AgentPlatform, message: Message): Promise<void> {
  const { text } = await platform.messages.open(message);
  const words = text === null ? 'That was no text.' : unfenced(text);
  await platform.messages.send(message.sender_id, { text: words }, { clientMessageId: answerIdOf(message) });
}

/**
 * The id of the answer follows from the message. An agent that dies between the
 * answer and the end of its handler answers again under the same id, and the
 * platform takes an id once.
 */
function answerIdOf({ id }: Message): string {
  const hex = createHash('sha256').update(`echo of ${id}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

// Another try would meet the same answer: the message was answered before, the
// friend has blocked us, or its envelope cannot be opened. Everything else is
// thrown on, and the event comes again.
const final = new Set([
  'idempotency_conflict',
  'contact_not_accepted',
  'contact_blocked',
  'not_found',
  'friend_key_changed',
  'cannot_open',
  'malformed_envelope',
  'wrong_recipient',
  'unsupported_version',
  'invalid_key',
]);

async function unlessRefused(log: Log, work: () => PromiseLike<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isPlatformError(error) || !final.has(error.code)) throw error;
    log(`left alone: ${error.code}`);
  }
}
