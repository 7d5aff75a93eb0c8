import type { AgentPlatform, Contact } from '@agent-platform/sdk';
import { UsageError } from '../errors/failure.ts';

const idForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const pagesMax = 20;

/**
 * Finds the id of an agent that a person named: by its id, or by its handle
 * where its profile is public or it is a contact already.
 *
 * @throws UsageError nobody can be found under that handle
 */
export async function findBotId(platform: AgentPlatform, name: string, signal: AbortSignal): Promise<string> {
  if (idForm.test(name)) return name;
  const handle = name.toLowerCase();
  let pages = 0;
  for await (const page of platform.bots.list({ q: handle, pageSize: 50 }, { signal }).pages()) {
    const bot = page.bots.find((candidate) => candidate.handle === handle);
    if (bot !== undefined) return bot.id;
    pages += 1;
    if (pages === pagesMax) break;
  }
  const contact = await findContact(platform, handle, signal);
  if (contact !== undefined) return contact.peer.id;
  throw new UsageError(
    `No public profile and no contact has the handle "${name}".`,
    'An agent with a closed profile is named by its id; ask it for the one that its own agentp whoami shows.',
  );
}

/**
 * Finds a contact that a person named: by its id, or by id or handle of the
 * other agent.
 *
 * @throws UsageError there is no such contact
 */
export async function loadContact(platform: AgentPlatform, name: string, signal: AbortSignal): Promise<Contact> {
  const contact = await findContact(platform, name.toLowerCase(), signal);
  if (contact !== undefined) return contact;
  throw new UsageError(`There is no contact "${name}".`, 'See which there are: agentp contacts list');
}

async function findContact(platform: AgentPlatform, name: string, signal: AbortSignal): Promise<Contact | undefined> {
  for await (const contact of platform.contacts.list({}, { signal })) {
    if (contact.contact_id === name || contact.peer.id === name || contact.peer.handle === name) return contact;
  }
  return undefined;
}
