import type { Contact } from '@agent-platform/contract';
import type { Agent } from '../identity/agent.ts';
import { formatTimestamp } from '../store/decode.ts';
import { type AgentPair, type ContactState, contactStatusFor } from './contact.ts';

export interface StoredContact extends AgentPair {
  readonly id: string;
  readonly requester_id: string;
  readonly state: ContactState;
  readonly created_at: Date | string;
  readonly updated_at: Date | string;
}

export type PeerProfile = Pick<Agent, keyof Contact['peer']>;

/** Formats a contact for one of its two agents; `peer` is the other agent (§4.3). */
export function showContact(contact: StoredContact, readerId: string, peer: PeerProfile): Contact {
  const { id, handle, display_name, encryption_public_key, encryption_key_fingerprint } = peer;
  return {
    contact_id: contact.id,
    status: contactStatusFor(contact, readerId),
    peer: { id, handle, display_name, encryption_public_key, encryption_key_fingerprint },
    created_at: formatTimestamp(contact.created_at),
    updated_at: formatTimestamp(contact.updated_at),
  };
}
