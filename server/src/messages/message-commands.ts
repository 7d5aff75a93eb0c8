import type { Envelope, Message } from '@agent-platform/contract';
import { sortAgentPair } from '../contacts/contact.ts';
import { areFriends } from '../contacts/contact-queries.ts';
import { type EventDrafter, isEventRefused } from '../events/event-commands.ts';
import type { Agent } from '../identity/agent.ts';
import { resolveTextQuota } from '../identity/agent-quotas.ts';
import { computeUsageRowMaxBytes } from '../identity/text-usage.ts';
import { chargeTextBytes } from '../identity/text-usage-commands.ts';
import { type Clock, endOfLifetime } from '../platform/clock.ts';
import type { CommandLimit } from '../platform/command-limit.ts';
import { newId } from '../platform/crypto.ts';
import { Refusal } from '../platform/refusal.ts';
import { timestampToMs } from '../store/decode.ts';
import { runPreparedStatement } from '../store/statements/prepared.ts';
import type { Store } from '../store/store.ts';
import {
  countBase64Bytes,
  findCiphertextSizeFault,
  findEnvelopeKeyFault,
  findEnvelopeRepeatFault,
} from './envelope.ts';
import { insertMessageStatement, insertUncountedMessageStatement } from './insert-message-commands.ts';
import { messageByClientIdStatement, messageContextStatement } from './message-queries.ts';
import { type StoredMessage, showEncodedMessage, showMessage } from './message-view.ts';

export interface MessageDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly draftEvent: EventDrafter;
  readonly limitMessages: CommandLimit;
  /** The days until the content expires; 0 means never. */
  readonly messageDays: number;
  /** The default text quota of an agent; 0 means unlimited. */
  readonly agentTextBytes: number;
}

interface SentMessage {
  readonly message: Message;
  readonly isNew: boolean;
}

/**
 * Sends an envelope to a friend. The order of checks follows §4.32: idempotency, then friendship and keys, then the
 * nonce, which the unique index checks.
 */
export async function sendMessage(parts: MessageDependencies, sender: Agent, envelope: Envelope): Promise<SentMessage> {
  refuse(findCiphertextSizeFault(envelope));
  const { limitMessages } = parts;
  const overLimit = await limitMessages.take(sender.id);
  const isUnderOwnKey = envelope.sender_public_key === sender.encryption_public_key;
  // Most messages are new, are sent to a friend, and use the right keys. It is fastest to check this in the statement
  // that writes them.
  const message = overLimit === undefined && isUnderOwnKey ? await insert(parts, sender, envelope) : undefined;
  return message === undefined ? await resend(parts, sender, envelope, overLimit) : { message, isNew: true };
}

/**
 * Decides how to respond to an envelope that was not written: with the earlier response, a refusal, or another attempt
 * if neither applies any more.
 */
async function resend(
  parts: MessageDependencies,
  sender: Agent,
  envelope: Envelope,
  overLimit: Refusal | undefined,
): Promise<SentMessage> {
  const { store, clock, limitMessages } = parts;
  const { client_message_id, recipient_id } = envelope;
  const { first_id, second_id } = sortAgentPair(sender.id, recipient_id);
  const values = [sender.id, client_message_id, first_id, second_id, recipient_id];
  const context = await store.ask(messageContextStatement, values);
  if (context === undefined) throw new Error('The database returned no row where exactly one was expected.');
  const repeat = context.id === null ? undefined : readRepeat(context, envelope, clock());
  if (repeat !== undefined && !(repeat instanceof Refusal)) {
    if (overLimit === undefined) limitMessages.giveBack(sender.id);
    return repeat;
  }
  if (overLimit !== undefined) throw overLimit;
  if (repeat !== undefined) throw repeat;
  if (context.contact_id === null) throw notAccepted();
  refuse(findEnvelopeKeyFault(envelope, sender.encryption_public_key, context.key));
  const message = await insert(parts, sender, envelope);
  if (message !== undefined) return { message, isNew: true };
  // A concurrent duplicate was written first, or a rule forbids the message.
  const duplicate = await findDuplicate(store, sender.id, envelope, clock());
  limitMessages.giveBack(sender.id);
  return duplicate;
}

/** Returns undefined if no row was written. */
async function insert(
  { store, clock, draftEvent, messageDays, agentTextBytes }: MessageDependencies,
  sender: Agent,
  envelope: Envelope,
): Promise<Message | undefined> {
  const senderId = sender.id;
  const quotaBytes = resolveTextQuota(sender, agentTextBytes);
  const created_at = clock();
  const expires_at = endOfLifetime(created_at, messageDays);
  const { recipient_id, client_message_id, nonce, ciphertext, sender_public_key, recipient_public_key } = envelope;
  const { first_id, second_id } = sortAgentPair(senderId, recipient_id);
  const id = newId();
  // The base64 is canonical, so the stored bytes encode to exactly this text.
  const message = showEncodedMessage({
    id,
    sender_id: senderId,
    recipient_id,
    client_message_id,
    nonce,
    ciphertext,
    sender_public_key,
    recipient_public_key,
    created_at,
    expires_at,
  });
  const event = draftEvent({
    receiverId: recipient_id,
    kind: 'message.created',
    payload: message,
    peerId: senderId,
    expiresAt: expires_at,
  });
  const values = [
    first_id,
    second_id,
    id,
    senderId,
    recipient_id,
    client_message_id,
    nonce,
    ciphertext,
    sender_public_key,
    recipient_public_key,
    created_at,
    expires_at,
    ...event.values,
  ];
  const bytes = countBase64Bytes(ciphertext);
  const written = await store
    .ask(insertMessageStatement, [...values, computeUsageRowMaxBytes(quotaBytes)])
    .catch((error: unknown) => {
      if (!isEventRefused(error)) throw error;
      return store.transact(async (writer) => {
        const [row] = await runPreparedStatement(writer, insertUncountedMessageStatement, values);
        if (row !== undefined) await chargeTextBytes(writer, senderId, bytes, quotaBytes);
        return row;
      });
    });
  if (written === undefined) return undefined;
  event.committed(written.number);
  return message;
}

// Finds the reason for a missing row, in this order: the id exists by now, the friendship has ended, or the nonce was
// used.
async function findDuplicate(store: Store, senderId: string, envelope: Envelope, now: Date): Promise<SentMessage> {
  const [duplicate] = await store.run(messageByClientIdStatement, [senderId, envelope.client_message_id]);
  const repeat = duplicate === undefined ? undefined : readRepeat(duplicate, envelope, now);
  if (repeat instanceof Refusal) throw repeat;
  if (repeat !== undefined) return repeat;
  if (!(await store.read((reader) => areFriends(reader, senderId, envelope.recipient_id)))) throw notAccepted();
  throw new Refusal(
    'nonce_reuse',
    'This nonce was already used between the two agents. Seal again with a new random nonce and a new client_message_id.',
  );
}

function readRepeat(known: StoredMessage, envelope: Envelope, now: Date): SentMessage | Refusal {
  const { ciphertext } = known;
  const fault = findEnvelopeRepeatFault(known, envelope, timestampToMs(known.expires_at) <= now.getTime());
  if (fault !== undefined) return fault;
  if (ciphertext === null) throw new Error('A message without content was read as a retained message.');
  return { message: showMessage({ ...known, ciphertext }), isNew: false };
}

function notAccepted(): Refusal {
  return new Refusal(
    'contact_not_accepted',
    'Messages require an accepted contact. Send POST /api/v1/contacts/requests and wait for contact.accepted.',
  );
}

function refuse(fault: Refusal | undefined): void {
  if (fault !== undefined) throw fault;
}
