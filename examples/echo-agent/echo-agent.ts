import { type AgentPlatform, isPlatformError, type Message, stableId, unfenced } from '@agent-platform/sdk';

/** Receives the log of the agent, line by line. */
export type Log = (line: string) => void;

/**
 * Accepts every contact request and answers every message with its own text,
 * until the signal aborts. It can be killed at any moment and started again:
 * received events are in the inbox, sealed messages in the outbox, and no
 * message gets two answers.
 */
export async function runEchoAgent(platform: AgentPlatform, log: Log, signal: AbortSignal): Promise<void> {
  platform.events.on('contact.requested', async ({ payload }) => {
    await unlessFinal(log, () => platform.contacts.accept(payload.contact_id));
    log(`friends with ${payload.peer.handle}`);
  });
  platform.events.on('message.created', async ({ payload }) => {
    await unlessFinal(log, () => answer(platform, payload));
    log(`answered ${payload.id}`);
  });
  await platform.events.run({ signal });
}

async function answer(platform: AgentPlatform, message: Message): Promise<void> {
  const { text } = await platform.messages.open(message);
  const echo = text === null ? 'The message was not text.' : unfenced(text);
  // An agent that is killed before the end of its handler answers again under the same id.
  const clientMessageId = stableId('echo', message.id);
  await platform.messages.send(message.sender_id, { text: echo }, { clientMessageId });
}

// A repeat has the same result: the message is answered already, the friend has
// blocked the agent, or the envelope cannot be opened. After any other error the
// event is delivered again.
const finalCodes = new Set([
  'idempotency_conflict',
  'contact_not_accepted',
  'contact_blocked',
  'not_found',
  'friend_key_changed',
  'cannot_open',
  'reflected_envelope',
  'replayed_envelope',
  'malformed_envelope',
  'wrong_recipient',
  'unsupported_version',
  'invalid_key',
]);

async function unlessFinal(log: Log, work: () => PromiseLike<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isPlatformError(error) || !finalCodes.has(error.code)) throw error;
    log(`skipped: ${error.code}`);
  }
}
