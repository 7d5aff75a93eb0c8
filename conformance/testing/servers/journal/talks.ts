import { base64Bytes } from '../formats/public-key.ts';
import { isSuspended, relation, statusFor } from './agents.ts';
import { dayMs, type Stored } from './journal.ts';
import type { Asked, Told } from './serve.ts';
import { behind, checkQuery, checkShape, Denied, id, isId, isOneOf, type Shape } from './shape.ts';

const contactsOnPage = 3;
const messagesOnPage = 2;

/** The least that a contact is: its id and how it stands. */
const contactFor = (viewer: string, contact: Stored<'contact'>) => ({
  status: statusFor(viewer, contact),
  contact_id: contact.id,
});

function tellContact({ journal, me }: Asked, one: string, status = 200): Told {
  const contact = journal.one('contact', one);
  return [status, contact === undefined ? {} : { contact: contactFor(me, contact) }];
}

export function askContact(asked: Asked): Told {
  const { journal, me, body, tell, limit } = asked;
  checkShape(body, { recipient_id: { test: isId, code: 'invalid_id', needed: true } }, 'invalid_fields');
  const to = id(body['recipient_id']);
  if (to === me) throw new Denied('self_contact');
  const before = relation(journal, me, to);
  if (before?.status === 'blocked') throw new Denied('contact_blocked');
  if (before !== undefined) return tellContact(asked, before.id);
  if (journal.one('bot', to) === undefined) throw new Denied('not_found');
  limit('contacts');
  const made = journal.begin('contact', { from: me, to, status: 'asked' });
  for (const one of [to, me]) tell(one, 'contact.requested', { contact_id: made }, [me, to].toSorted().join());
  return tellContact(asked, made, 201);
}

function ownContact({ journal, me, ids }: Asked): Stored<'contact'> {
  const contact = journal.one('contact', id(ids[0]));
  if (contact === undefined || ![contact.from, contact.to].includes(me)) throw new Denied('not_found');
  return contact;
}

export function acceptContact(asked: Asked): Told {
  const contact = ownContact(asked);
  checkShape(asked.body, {}, 'invalid_fields');
  if (contact.to !== asked.me) throw new Denied('recipient_required');
  if (contact.status === 'blocked') throw new Denied('contact_blocked');
  if (isSuspended(asked.journal, contact.from)) throw new Denied('inactive_bot');
  if (contact.status === 'asked') {
    asked.journal.change('contact', contact.id, { status: 'friends' });
    asked.tell(
      contact.from,
      'contact.accepted',
      { contact_id: contact.id },
      [contact.from, contact.to].toSorted().join(),
    );
  }
  return tellContact(asked, contact.id);
}

export function blockContact(asked: Asked): Told {
  const { journal } = asked;
  const contact = ownContact(asked);
  checkShape(asked.body, {}, 'invalid_fields');
  if (contact.status !== 'blocked') {
    journal.change('contact', contact.id, { status: 'blocked' });
    const pair = [contact.from, contact.to].toSorted().join();
    for (const event of journal.all('event'))
      if (!event.settled && event.personal === pair) journal.change('event', event.id, { settled: true });
  }
  return tellContact(asked, contact.id);
}

export function listContacts({ journal, me, query }: Asked): Told {
  checkQuery(query, { before: 'invalid_id' });
  const mine = journal.all('contact').filter(({ from, to }) => from === me || to === me);
  const part = behind(mine.toReversed(), query, contactsOnPage);
  const last = part.at(-1)?.id;
  const next_before = last === undefined || last === mine[0]?.id ? null : last;
  return [200, { next_before, contacts: part.map((contact) => contactFor(me, contact)) }];
}

const isBytes = (least: number, most: number) => (value: unknown) => {
  const length = base64Bytes(value)?.length ?? -1;
  return length >= least && length <= most;
};
const present = { test: () => true, code: 'encrypted_envelope_required', needed: true };
const envelopeMembers: Shape = {
  ...{ recipient_id: present, client_message_id: present, nonce: present, ciphertext: present },
  ...{ encryption_version: present, sender_public_key: present, recipient_public_key: present },
};
const envelopeForms: Shape = {
  encryption_version: { test: isOneOf('box-v1'), code: 'unsupported_encryption' },
  recipient_id: { test: isId, code: 'invalid_id' },
  client_message_id: { test: isId, code: 'invalid_id' },
  nonce: { test: isBytes(24, 24), code: 'invalid_envelope' },
  ciphertext: { test: isBytes(16, 16_384), code: 'invalid_envelope' },
  sender_public_key: { test: isBytes(32, 32), code: 'invalid_envelope' },
  recipient_public_key: { test: isBytes(32, 32), code: 'invalid_envelope' },
};

const pairOf = ({ sender, recipient_id }: Stored<'message'>) => [sender, recipient_id].toSorted().join();
const tellMessage = (message: Stored<'message'> | undefined, status: number): Told => [
  status,
  { message: { ...message?.envelope, id: message?.id } },
];

export function sendMessage({ journal, me, body, tell, limit }: Asked): Told {
  checkShape(body, envelopeMembers, 'encrypted_envelope_required');
  checkShape(body, envelopeForms, 'encrypted_envelope_required');
  const recipient_id = id(body['recipient_id']);
  const key = `${me} ${id(body['client_message_id'])}`;
  const pair = [me, recipient_id].toSorted().join();
  const all = journal.all('message');
  const before = all.find((message) => message.key === key);
  if (before !== undefined) {
    if (Object.keys(envelopeMembers).some((name) => before.envelope[name] !== body[name]))
      throw new Denied('idempotency_conflict');
    if (journal.now() >= before.since + 90 * dayMs) throw new Denied('message_expired');
    return tellMessage(before, 200);
  }
  if (relation(journal, me, recipient_id)?.status !== 'friends') throw new Denied('contact_not_accepted');
  const keys = [me, recipient_id].map((one) => journal.one('bot', one)?.key);
  if (keys[0] !== body['sender_public_key'] || keys[1] !== body['recipient_public_key'])
    throw new Denied('key_changed');
  if (all.some((one) => pairOf(one) === pair && one.envelope['nonce'] === body['nonce']))
    throw new Denied('nonce_reuse');
  limit('messages');
  const made = journal.begin('message', { sender: me, recipient_id, envelope: body, key });
  tell(recipient_id, 'message.created', {}, pair);
  return tellMessage(journal.one('message', made), 201);
}

export function listMessages({ journal, me, query }: Asked): Told {
  checkQuery(query, { peer: 'invalid_id', before: 'invalid_id' });
  const peer = id(query.get('peer'));
  if (relation(journal, me, peer) === undefined) throw new Denied('not_found');
  const pair = [me, peer].toSorted().join();
  const retained = journal
    .all('message')
    .filter((one) => pairOf(one) === pair && journal.now() < one.since + 90 * dayMs);
  const part = behind(retained.toReversed(), query, messagesOnPage);
  return [200, { messages: part.map((message) => ({ id: message.id, ...message.envelope })) }];
}
