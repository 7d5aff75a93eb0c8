import type { Envelope, Message } from '@agent-platform/contract';
import { pairOf } from '../contacts/contact.ts';
import { areFriends, friendOfPair, friendshipForShare } from '../contacts/contact-queries.ts';
import type { Announce } from '../events/event-commands.ts';
import type { Agent } from '../identity/agent.ts';
import type { Clock } from '../platform/clock.ts';
import type { CommandLimit } from '../platform/command-limit.ts';
import { endOf } from '../platform/end-of.ts';
import { newId } from '../platform/new-id.ts';
import { Refusal } from '../platform/refusal.ts';
import { milliseconds } from '../store/decode.ts';
import { prepareText, runPrepared } from '../store/prepared.ts';
import type { Store, Writer } from '../store/store.ts';
import { decode, type EnvelopeFault, findKeyFault, findRepeatFault, findSizeFault } from './envelope.ts';
import { messageByClientId } from './message-queries.ts';
import { type StoredMessage, showMessage } from './message-view.ts';

/** What the commands work with. */
export interface MessageParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly announce: Announce;
  readonly limitMessages: CommandLimit;
  /** How long content is kept; 0 for ever. */
  readonly messageDays: number;
}

/** A message, and whether this call made it. */
export interface SentMessage {
  readonly message: Message;
  readonly isNew: boolean;
}

/**
 * Locks and writes in one statement: the friendship is held as `lockFriendship`
 * does it, so a block waits until the message and its event are there, or the
 * message finds that it came too late.
 */
export const insertMessage = prepareText<{ id: string }>(
  'insert-message',
  `with friendship as (${friendshipForShare})
   insert into messages (contact_id, id, sender_id, recipient_id, client_message_id, nonce, ciphertext,
     sender_public_key, recipient_public_key, created_at, expires_at)
   select friendship.id, $2::uuid, $3::uuid, $4::uuid, $5::uuid, $6::bytea, $7::bytea, $8::text, $9::text,
     $10::timestamptz, $11::timestamptz
   from friendship
   on conflict do nothing
   returning id`,
);

/**
 * Sends an envelope to a friend. The order is that of D-25: idempotency, then
 * friendship and keys, then the nonce, which the unique index decides.
 */
export async function sendMessage(parts: MessageParts, sender: Agent, envelope: Envelope): Promise<SentMessage> {
  refuse(findSizeFault(envelope));
  const { store, clock, limitMessages } = parts;
  const [known] = await store.run(messageByClientId, [sender.id, envelope.client_message_id]);
  if (known !== undefined && findFault(known, envelope, clock()) === undefined) return repeat(known, envelope, clock());
  const overLimit = await limitMessages.take(sender.id);
  if (overLimit !== undefined) throw overLimit;
  if (known !== undefined) return repeat(known, envelope, clock());

  const { first_id, second_id } = pairOf(sender.id, envelope.recipient_id);
  const [friend] = await store.run(friendOfPair, [first_id, second_id, envelope.recipient_id]);
  if (friend === undefined) throw notAccepted();
  refuse(findKeyFault(envelope, sender.encryption_public_key, friend.key));
  const sent = await store.transact((writer) => insert(parts, writer, sender.id, friend.contact_id, envelope));
  // A twin of this call was faster.
  if (!sent.isNew) limitMessages.giveBack(sender.id);
  return sent;
}

async function insert(
  { clock, announce, messageDays }: MessageParts,
  writer: Writer,
  senderId: string,
  contactId: string,
  envelope: Envelope,
): Promise<SentMessage> {
  const created_at = clock();
  const expires_at = endOf(created_at, messageDays);
  const { recipient_id, client_message_id, sender_public_key, recipient_public_key } = envelope;
  const id = newId();
  const nonce = decode(envelope.nonce);
  const ciphertext = decode(envelope.ciphertext);
  const [inserted] = await runPrepared(writer, insertMessage, [
    contactId,
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
  ]);
  if (inserted === undefined) return await findTwin(writer, senderId, envelope, created_at);
  const message = showMessage({
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
  await announce(writer, [
    { receiverId: recipient_id, kind: 'message.created', payload: message, peerId: senderId, expiresAt: expires_at },
  ]);
  return { message, isNew: true };
}

// Nothing was written: the id is there by now, or the friendship is over, or else it is the nonce.
async function findTwin(writer: Writer, senderId: string, envelope: Envelope, now: Date): Promise<SentMessage> {
  const [twin] = await runPrepared(writer, messageByClientId, [senderId, envelope.client_message_id]);
  if (twin !== undefined) return repeat(twin, envelope, now);
  if (!(await areFriends(writer, senderId, envelope.recipient_id))) throw notAccepted();
  throw new Refusal(
    'nonce_reuse',
    'This nonce was used between the two agents before. Seal again with a fresh random one, under a new client_message_id.',
  );
}

function repeat(known: StoredMessage, envelope: Envelope, now: Date): SentMessage {
  refuse(findFault(known, envelope, now));
  const { ciphertext } = known;
  if (ciphertext === null) throw new Error('A message without content was taken for one that is retained.');
  return { message: showMessage({ ...known, ciphertext }), isNew: false };
}

function findFault(known: StoredMessage, envelope: Envelope, now: Date): EnvelopeFault | undefined {
  return findRepeatFault(known, envelope, milliseconds(known.expires_at) <= now.getTime());
}

function notAccepted(): Refusal {
  return new Refusal(
    'contact_not_accepted',
    'Messages go to accepted friends only. Ask with POST /api/v1/contacts/requests and wait for contact.accepted.',
  );
}

function refuse(fault: EnvelopeFault | undefined): void {
  if (fault !== undefined) throw new Refusal(fault.code, fault.message);
}
