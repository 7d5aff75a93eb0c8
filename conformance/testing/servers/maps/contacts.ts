import { randomUUID } from 'node:crypto';
import { decodeBase64 } from '../formats/public-key.ts';
import { parseId, selectItemsAfter } from './fields.ts';
import { enforceRateLimit, type HandlerContext, type JsonAnswer, Refusal } from './http.ts';
import {
  type Contact,
  contactOf,
  contactStatusFor,
  currentTimeOf,
  daysToMs,
  digestOf,
  formatTimestamp,
  type Message,
  queueEvent,
  type ServerState,
} from './world.ts';

function view(world: ServerState, contact: Contact, viewer: string) {
  const other = world.bots.get(contact.from === viewer ? contact.to : contact.from);
  return {
    contact_id: contact.id,
    status: contactStatusFor(viewer, contact),
    with: {
      bot_id: other?.id,
      handle: other?.handle,
      x25519: other?.key,
      sha256: digestOf(decodeBase64(other?.key) ?? ''),
    },
    since: formatTimestamp(contact.since),
  };
}

function announce(world: ServerState, contact: Contact, kind: string, receivers: readonly string[]): void {
  const between: [string, string] | undefined = kind === 'contact.blocked' ? undefined : [contact.from, contact.to];
  for (const receiver of receivers)
    queueEvent(world, receiver, kind, { relation: contact.id, from: contact.from, to: contact.to }, between);
}

function request({ world, bot, body }: HandlerContext): JsonAnswer {
  const other = parseId(body['recipient_id'], 'invalid_id');
  if (other === bot.id) throw new Refusal('self_contact');
  const before = contactOf(world, bot.id, other);
  if (before?.state === 'blocked') throw new Refusal('contact_blocked');
  if (before !== undefined) return [200, view(world, before, bot.id)];
  if (!world.bots.has(other)) throw new Refusal('not_found');
  enforceRateLimit(world, `contacts ${bot.id}`, world.numbers.contacts, 60, 'rate_limited');
  const contact: Contact = { id: randomUUID(), from: bot.id, to: other, since: currentTimeOf(world), state: 'asked' };
  world.contacts.set(contact.id, contact);
  announce(world, contact, 'contact.requested', [other]);
  return [201, view(world, contact, bot.id)];
}

function list({ world, bot, query }: HandlerContext): JsonAnswer {
  const own = [...world.contacts.values()].filter(({ from, to }) => from === bot.id || to === bot.id).toReversed();
  const { part, next_before } = selectItemsAfter(own, query, 100);
  return [200, { results: part.map((contact) => view(world, contact, bot.id)), next_before }];
}

function own({ world, bot, ids: [id] }: HandlerContext): Contact {
  const contact = world.contacts.get(parseId(id, 'invalid_id'));
  if (contact === undefined || (contact.from !== bot.id && contact.to !== bot.id)) throw new Refusal('not_found');
  return contact;
}

function accept(call: HandlerContext): JsonAnswer {
  const contact = own(call);
  if (contact.state === 'blocked') throw new Refusal('contact_blocked');
  if (contact.to !== call.bot.id) throw new Refusal('recipient_required');
  if (call.world.suspended.has(contact.from)) throw new Refusal('inactive_bot');
  if (contact.state === 'asked') {
    contact.state = 'friends';
    announce(call.world, contact, 'contact.accepted', [contact.from, contact.to]);
  }
  return [200, view(call.world, contact, call.bot.id)];
}

function block(call: HandlerContext): JsonAnswer {
  const contact = own(call);
  const { world } = call;
  if (contact.state !== 'blocked') {
    contact.state = 'blocked';
    for (const one of [contact.from, contact.to])
      for (const { id, between } of world.notices.get(one)?.values() ?? [])
        if (between?.includes(contact.from) && between.includes(contact.to)) world.notices.get(one)?.delete(id);
    announce(world, contact, 'contact.blocked', [contact.from, contact.to]);
  }
  return [200, view(world, contact, call.bot.id)];
}

const envelopeMembers = [
  ...['client_message_id', 'nonce', 'ciphertext', 'encryption_version', 'sender_public_key', 'recipient_public_key'],
] as const;

function readEnvelope({ body }: HandlerContext) {
  const recipient = parseId(
    body['recipient_id'],
    body['recipient_id'] === undefined ? 'encrypted_envelope_required' : 'invalid_id',
  );
  const members = envelopeMembers.map((name): [string, string] => {
    const value = body[name];
    if (typeof value !== 'string')
      throw new Refusal(value === undefined ? 'encrypted_envelope_required' : 'invalid_envelope');
    return [name, value];
  });
  const surplus = Object.keys(body).filter(
    (name) => name !== 'recipient_id' && !members.some(([known]) => known === name),
  );
  if (surplus.length > 0) throw new Refusal('encrypted_envelope_required');
  const envelope = Object.fromEntries(members);
  if (envelope['encryption_version'] !== 'box-v1') throw new Refusal('unsupported_encryption');
  envelope['client_message_id'] = parseId(envelope['client_message_id'], 'invalid_id');
  const length = decodeBase64(envelope['ciphertext'])?.length ?? 0;
  if (decodeBase64(envelope['nonce'])?.length !== 24 || length < 16 || length > 16_384)
    throw new Refusal('invalid_envelope');
  for (const name of ['sender_public_key', 'recipient_public_key'])
    if (decodeBase64(envelope[name])?.length !== 32) throw new Refusal('invalid_envelope');
  return { recipient, envelope };
}

const isExpired = (world: ServerState, { since }: Message) => currentTimeOf(world) >= since + daysToMs(90);

const messageView = (world: ServerState, message: Message) => ({
  id: message.id,
  ...message.envelope,
  sender_id: message.sender,
  recipient_id: message.recipient,
  bytes: decodeBase64(message.envelope['ciphertext'])?.length,
  sent: formatTimestamp(message.since),
  kept_until: formatTimestamp(currentTimeOf(world) + daysToMs(90)),
});

function send(call: HandlerContext): JsonAnswer {
  const { world, bot } = call;
  const { recipient, envelope } = readEnvelope(call);
  const before = world.messages
    .values()
    .find(
      ({ sender, envelope: one }) => sender === bot.id && one['client_message_id'] === envelope['client_message_id'],
    );
  if (before !== undefined) {
    const same =
      before.recipient === recipient && envelopeMembers.every((name) => before.envelope[name] === envelope[name]);
    if (!same) throw new Refusal('idempotency_conflict');
    if (isExpired(world, before)) throw new Refusal('message_expired');
    return [200, messageView(world, before)];
  }
  if (contactOf(world, bot.id, recipient)?.state !== 'friends') throw new Refusal('contact_not_accepted');
  if (envelope['sender_public_key'] !== bot.key || envelope['recipient_public_key'] !== world.bots.get(recipient)?.key)
    throw new Refusal('key_changed');
  if (dialog(world, bot.id, recipient).some((one) => one.envelope['nonce'] === envelope['nonce']))
    throw new Refusal('nonce_reuse');
  enforceRateLimit(world, `messages ${bot.id}`, world.numbers.messages, 60, 'rate_limited');
  const message: Message = { id: randomUUID(), sender: bot.id, recipient, envelope, since: currentTimeOf(world) };
  world.messages.set(message.id, message);
  queueEvent(world, recipient, 'message.created', { message: message.id, from: bot.id }, [bot.id, recipient]);
  return [201, messageView(world, message)];
}

const dialog = (world: ServerState, one: string, other: string) =>
  [...world.messages.values()].filter(
    ({ sender, recipient }) => (sender === one && recipient === other) || (sender === other && recipient === one),
  );

function read({ world, bot, query }: HandlerContext): JsonAnswer {
  const peer = parseId(query.get('peer'), 'invalid_id');
  if (contactOf(world, bot.id, peer) === undefined) throw new Refusal('not_found');
  const retained = dialog(world, bot.id, peer).filter((message) => !isExpired(world, message));
  const { part, next_before } = selectItemsAfter(retained.toReversed(), query, 100);
  return [200, { results: part.map((message) => messageView(world, message)), next_before }];
}

export const contactHandlers = { request, list, accept, block, send, read };
