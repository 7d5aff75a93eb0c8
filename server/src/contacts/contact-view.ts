import type { Contact } from '@agent-platform/contract';
import type { Agent } from '../identity/agent.ts';
import { timestamp } from '../store/decode.ts';
import { type ContactState, type Pair, statusFor } from './contact.ts';

/** A relation as it is stored. */
export interface StoredContact extends Pair {
  readonly id: string;
  readonly requester_id: string;
  readonly state: ContactState;
  readonly created_at: Date | string;
  readonly updated_at: Date | string;
}

/** What is shown of the other side. */
export type PeerPassport = Pick<
  Agent,
  'id' | 'handle' | 'display_name' | 'encryption_public_key' | 'encryption_key_fingerprint'
>;

/** A contact as one of its two agents sees it; `peer` is the other one (D-9). */
export function showContact(contact: StoredContact, readerId: string, peer: PeerPassport): Contact {
  return {
    contact_id: contact.id,
    status: statusFor(contact, readerId),
    peer: {
      id: peer.id,
      handle: peer.handle,
      display_name: peer.display_name,
      encryption_public_key: peer.encryption_public_key,
      encryption_key_fingerprint: peer.encryption_key_fingerprint,
    },
    created_at: timestamp(contact.created_at),
    updated_at: timestamp(contact.updated_at),
  };
}
