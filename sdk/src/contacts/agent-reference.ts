import { isUuid } from '../crypto/uuid.ts';
import { ConfigurationError } from '../errors.ts';

/** An agent: its id (a UUID) or its handle, case-insensitive. Only ids contain "-", so the two cannot be confused. */
export type AgentReference = string;

/** The form of a handle, to complete a sentence such as "it must be …". */
export const handleFormat = '3 to 32 characters of a-z, 0-9 and _, starting with a letter';

/** Parses a handle and returns it in lower case; undefined for any other text. */
export function parseHandle(text: string): string | undefined {
  // Checked before `toLowerCase`, which turns some other letters, such as the Kelvin sign, into a to z.
  return /^[A-Za-z][A-Za-z0-9_]{2,31}$/.test(text) ? text.toLowerCase() : undefined;
}

/** @throws ConfigurationError the reference is neither an id nor a handle */
export function parseAgentReference(
  reference: AgentReference,
): { readonly id: string; readonly handle?: undefined } | { readonly id?: undefined; readonly handle: string } {
  if (isUuid(reference)) return { id: reference.toLowerCase() };
  const text = String(reference);
  const handle = parseHandle(text);
  if (handle !== undefined && typeof reference === 'string') return { handle };
  const given = JSON.stringify(text.slice(0, 80));
  throw new ConfigurationError(`${given} is neither the id of an agent (a UUID) nor a handle (${handleFormat}).`);
}
