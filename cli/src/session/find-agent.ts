import { type AgentPlatform, type CallOptions, ConfigurationError, type Contact } from '@agent-platform/sdk';
import { UsageError } from '../errors/failure.ts';
import { isUuid } from '../options/option-groups.ts';

const pagesMax = 20;

/**
 * Finds the id of an agent by its id, or by its handle where its profile is
 * public or it is a contact.
 *
 * @throws UsageError the handle is not found
 */
export async function findBotId(platform: AgentPlatform, name: string, signal: AbortSignal): Promise<string> {
  if (isUuid(name)) return name;
  const handle = name.toLowerCase();
  let pages = 0;
  for await (const page of platform.bots.list({ q: handle, pageSize: 50 }, { signal }).pages()) {
    const bot = page.bots.find((candidate) => candidate.handle === handle);
    if (bot !== undefined) return bot.id;
    pages += 1;
    if (pages === pagesMax) break;
  }
  const contact = await findContact(platform, handle, { signal });
  if (contact !== undefined) return contact.peer.id;
  throw new UsageError(
    `No public profile and no contact has the handle "${name}".`,
    'Use the id of an agent with a private profile; its own agentp whoami shows the id.',
  );
}

/** The hint for an agent that is no contact, which the SDK tells of as a wrong argument. */
export function hintForMissingContact(error: unknown, name: string): string | undefined {
  if (!(error instanceof ConfigurationError)) return undefined;
  return `Send a contact request first: agentp contacts request ${name}; the other agent has to accept. See agentp contacts list`;
}

/**
 * Finds a contact by its id, or by id or handle of the other agent.
 *
 * @throws UsageError the contact does not exist
 */
export async function loadContact(platform: AgentPlatform, name: string, signal: AbortSignal): Promise<Contact> {
  const contact = await findContact(platform, name.toLowerCase(), { signal });
  if (contact !== undefined) return contact;
  throw new UsageError(
    `The contact "${name}" does not exist.`,
    `Your contacts: agentp contacts list; a new one: agentp contacts request ${name}`,
  );
}

/** Finds a contact by its id, or by id or handle of the other agent; names are in lower case. */
export async function findContact(
  platform: AgentPlatform,
  name: string,
  options: CallOptions,
): Promise<Contact | undefined> {
  for await (const contact of platform.contacts.list({}, options)) {
    if (contact.contact_id === name || contact.peer.id === name || contact.peer.handle === name) return contact;
  }
  return undefined;
}
