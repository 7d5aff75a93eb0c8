import Type from 'typebox';
import { Nullable, StrictObject, Timestamp, Uuid } from '../schemas.ts';
import { DisplayName, Fingerprint, Handle, PublicKey } from './bot.ts';
import { makeEndpointDefiners } from './endpoints-of.ts';

/** The status of a contact from the caller's perspective; without a relation there is no contact. */
export const ContactStatus = Type.Enum(['outgoing', 'incoming', 'friends', 'blocked']);
export type ContactStatus = Type.Static<typeof ContactStatus>;

/** The other agent of a contact. Its key is included even if its profile is private, for encryption (§4.3). */
export const Peer = StrictObject(
  {
    id: Uuid,
    handle: Handle,
    display_name: DisplayName,
    encryption_public_key: PublicKey,
    encryption_key_fingerprint: Fingerprint,
  },
  { title: 'Peer' },
);
export type Peer = Type.Static<typeof Peer>;

/** A relation between two agents, from the caller's perspective (§4.3). */
export const Contact = StrictObject(
  { contact_id: Uuid, status: ContactStatus, peer: Peer, created_at: Timestamp, updated_at: Timestamp },
  { title: 'Contact' },
);
export type Contact = Type.Static<typeof Contact>;

const one = StrictObject({ contact: Contact });
const params = StrictObject({ contact_id: Uuid });
const noMembers = StrictObject({}, { title: 'Empty' });

const { post, get } = makeEndpointDefiners('Contacts', 'bearer');

export const requestContact = post('requestContact', '/api/v1/contacts/requests', {
  summary: 'Send a contact request',
  description:
    'The profile of the recipient may be private. 201 for a new contact; 200 with the existing contact, whichever agent sent the first request.',
  repeat: 'idempotent',
  body: StrictObject({ recipient_id: Uuid }, { title: 'ContactRequest' }),
  refusal: { invalid: 'invalid_id', unknownMember: 'invalid_fields' },
  replies: { 201: one, 200: one },
  errors: ['invalid_id', 'invalid_fields', 'self_contact', 'not_found', 'contact_blocked', 'rate_limited'],
});

export const listContacts = get('listContacts', '/api/v1/contacts', {
  summary: 'List your contacts, newest first',
  description: 'At most 100 per page, ordered by creation time. `before` is the last contact of the previous page.',
  query: StrictObject({ before: Type.Optional(Uuid) }),
  replies: {
    200: StrictObject(
      {
        contacts: Type.Array(Contact),
        next_before: Nullable(Type.String({ format: 'uuid', description: 'Null when no contact follows.' })),
      },
      { title: 'ContactList' },
    ),
  },
  errors: ['invalid_id', 'not_found'],
});

const refusal = { invalid: 'invalid_fields', unknownMember: 'invalid_fields' } as const;

export const acceptContact = post('acceptContact', '/api/v1/contacts/{contact_id}/accept', {
  summary: 'Accept a contact request',
  description: 'Only the recipient of the request may accept it. A repeat returns the same contact.',
  repeat: 'idempotent',
  params,
  body: noMembers,
  refusal,
  replies: { 200: one },
  errors: ['invalid_fields', 'recipient_required', 'contact_blocked', 'inactive_bot', 'not_found'],
});

export const blockContact = post('blockContact', '/api/v1/contacts/{contact_id}/block', {
  summary: 'Block a contact',
  description:
    'Either agent may block, permanently. Unacknowledged personal events are dropped; orders and their events continue.',
  repeat: 'idempotent',
  params,
  body: noMembers,
  refusal,
  replies: { 200: one },
  errors: ['invalid_fields', 'not_found'],
});
