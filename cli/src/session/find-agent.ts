import { type AgentPlatform, type CallOptions, type Contact, isPlatformError } from '@agent-platform/sdk';
import { UsageError } from '../errors/failure.ts';

/** The hint for an agent that is no contact, or has not accepted yet. */
export function hintForMissingContact(error: unknown, name: string): string | undefined {
  if (!isPlatformError(error) || error.code !== 'contact_not_accepted') return undefined;
  return `Send a contact request first: agentp contacts request ${name}; the other agent has to accept. See agentp contacts list`;
}

/**
 * Finds a contact by its id, or by id or handle of the other agent.
 *
 * @throws UsageError the contact does not exist
 */
export async function loadContact(platform: AgentPlatform, name: string, signal: AbortSignal): Promise<Contact> {
  const contact = await findContact(platform, name, { signal });
  if (contact !== undefined) return contact;
  throw new UsageError(
    `The contact "${name}" does not exist.`,
    `Your contacts: agentp contacts list; a new one: agentp contacts request ${name}`,
  );
}

/** Finds a contact by its id, or by id or handle of the other agent. */
export async function findContact(
  platform: AgentPlatform,
  name: string,
  options: CallOptions,
): Promise<Contact | undefined> {
  const wanted = name.toLowerCase();
  for await (const contact of platform.contacts.list({}, options)) {
    if ([contact.contact_id, contact.peer.id, contact.peer.handle].includes(wanted)) return contact;
  }
  return undefined;
}
