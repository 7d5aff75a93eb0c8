import * as api from '@agent-platform/contract';
import type { EventStreams } from '../event-streams.ts';
import { makeReply, type OperationTable } from '../operation-table.ts';
import { FakeRefusal, requireOrRefuse } from '../refusal.ts';
import type { FakeAgent, FakeDatabase } from '../world.ts';

const messageMs = api.limits.messageDays * 86_400_000;

export function mountMessages(table: OperationTable, world: FakeDatabase, streams: EventStreams): void {
  table.on(api.listMessages, ({ caller, query: { peer, before } }) => {
    requireOrRefuse(world.contactBetween(caller.id, peer), 'not_found');
    const dialog = world.messages.filter((message) => isBetween(message, caller.id, peer)).toReversed();
    const after = before === undefined ? -1 : dialog.findIndex(({ id }) => id === before);
    if (before !== undefined && after === -1)
      throw new FakeRefusal('not_found', '`before` is not the id of a message in this conversation.');
    const retained = dialog.slice(after + 1).filter((message) => !isOver(message, world));
    const messages = retained.slice(0, api.limits.messagesPageMax);
    const next_before = retained.length > messages.length ? (messages.at(-1)?.id ?? null) : null;
    return makeReply(200, { messages, next_before });
  });
  table.on(api.sendMessage, ({ caller, body }) => {
    const repeat = detectReplay(world, caller, body);
    if (repeat !== undefined) return makeReply(200, { message: repeat });
    const message = send(world, caller, body);
    const expiresMs = Date.parse(message.expires_at);
    streams.announce(body.recipient_id, { kind: 'message.created', payload: message, peerId: caller.id, expiresMs });
    return makeReply(201, { message });
  });
}

function isBetween({ sender_id, recipient_id }: api.Message, oneId: string, otherId: string): boolean {
  return (sender_id === oneId && recipient_id === otherId) || (sender_id === otherId && recipient_id === oneId);
}

function isOver({ expires_at }: api.Message, world: FakeDatabase): boolean {
  return Date.parse(expires_at) <= world.now();
}

const envelopeNames = [
  'recipient_id',
  'nonce',
  'ciphertext',
  'sender_public_key',
  'recipient_public_key',
] as const satisfies readonly (keyof api.Envelope)[];

/** Runs the first checks of §4.32, size and idempotency; returns the stored message if the envelope is a repeat. */
function detectReplay(world: FakeDatabase, sender: FakeAgent, envelope: api.Envelope): api.Message | undefined {
  const bytes = api.decodeBase64(envelope.ciphertext)?.length ?? 0;
  if (bytes < api.limits.ciphertextMinBytes || bytes > api.limits.ciphertextMaxBytes) {
    throw new FakeRefusal('invalid_envelope', `ciphertext has ${bytes} bytes.`);
  }
  const known = world.messages.find(
    ({ sender_id, client_message_id }) => sender_id === sender.id && client_message_id === envelope.client_message_id,
  );
  if (known === undefined) return undefined;
  if (isOver(known, world)) throw new FakeRefusal('message_expired', 'The content of this message has expired.');
  if (envelopeNames.every((name) => known[name] === envelope[name])) return known;
  throw new FakeRefusal('idempotency_conflict', 'This client_message_id belongs to another envelope.');
}

function send(world: FakeDatabase, sender: FakeAgent, envelope: api.Envelope): api.Message {
  const { recipient_id, client_message_id, nonce, ciphertext, sender_public_key, recipient_public_key } = envelope;
  if (!world.areFriends(sender.id, recipient_id)) {
    throw new FakeRefusal('contact_not_accepted', 'Messages require an accepted contact.');
  }
  if (sender_public_key !== sender.encryption_public_key) {
    throw new FakeRefusal('key_changed', 'sender_public_key is not the registered key of this agent.');
  }
  if (recipient_public_key !== world.agent(recipient_id).encryption_public_key) {
    throw new FakeRefusal('key_changed', 'recipient_public_key is not the registered key of the recipient.');
  }
  if (world.messages.some((message) => isBetween(message, sender.id, recipient_id) && message.nonce === nonce)) {
    throw new FakeRefusal('nonce_reuse', 'This nonce was already used between the two agents.');
  }
  const nowMs = world.now();
  const message: api.Message = {
    id: world.newId(),
    sender_id: sender.id,
    recipient_id,
    client_message_id,
    encryption_version: api.encryptionVersion,
    nonce,
    ciphertext,
    sender_public_key,
    recipient_public_key,
    created_at: new Date(nowMs).toISOString(),
    expires_at: new Date(nowMs + messageMs).toISOString(),
  };
  world.messages.push(message);
  return message;
}
