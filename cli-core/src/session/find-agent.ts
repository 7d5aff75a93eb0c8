import { type AgentPlatform, ApiError, type CallOptions, type Contact } from '@agent-platform/sdk';
import { exitCodes } from '../errors/exit-codes.ts';
import { CommandError, HintedError } from '../errors/failure.ts';
import { toVisibleLine } from '../output/visible-text.ts';

interface Place {
  readonly platform: AgentPlatform;
  readonly signal: AbortSignal;
}

const relationCodes = ['contact_not_accepted', 'contact_blocked', 'friendship_required', 'recipient_required'];

/**
 * Awaits a request that requires the contact `name`, a handle or id. If the server refuses the request because of the
 * contact, the error explains the contact's status.
 *
 * @throws CommandError `contact_not_found`
 */
export async function addContactHintOnFailure<T>(place: Place, name: string, request: PromiseLike<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (!(error instanceof ApiError && relationCodes.includes(error.code))) throw error;
    const isUnknown = () => {
      throw error;
    };
    const contact = await findContact(place.platform, name, { signal: place.signal }).catch(isUnknown);
    // The server's error code is the same for a missing contact and for one that is not accepted.
    if (contact === undefined && error.code === 'contact_not_accepted') throw missingContact(name);
    throw new HintedError(error, describeContactStatus(contact?.status, contact?.peer.handle ?? name));
  }
}

export function describeContactStatus(status: Contact['status'] | undefined, name: string): string {
  switch (status) {
    case 'outgoing':
      return `${name} has not accepted your request yet. To check: agentp contacts list`;
    case 'incoming':
      return `${name} has sent you a request. Accept it first: agentp contacts accept ${name}`;
    case 'blocked':
      return `The contact with ${name} is blocked permanently. Your other contacts: agentp contacts list`;
    default:
      return `Send a contact request first: agentp contacts request ${name}; the other agent has to accept.`;
  }
}

/**
 * Finds a contact by its id, or by the id or handle of the other agent.
 *
 * @throws CommandError `contact_not_found`
 */
export async function requireContact(platform: AgentPlatform, name: string, signal: AbortSignal): Promise<Contact> {
  const contact = await findContact(platform, name, { signal });
  if (contact === undefined) throw missingContact(name);
  return contact;
}

function missingContact(name: string): CommandError {
  const message = `There is no contact with "${toVisibleLine(name)}".`;
  const hint = `${describeContactStatus(undefined, name)} Your contacts: agentp contacts list`;
  return new CommandError(exitCodes.notFound, 'contact_not_found', message, hint);
}

/** Like `requireContact`, but returns undefined if there is no such contact. */
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
