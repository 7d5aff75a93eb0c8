import { ConfigurationError } from '../errors.ts';
import { sha256Hex } from './sha256.ts';

/**
 * Makes a UUID that is the same for the same parts on every machine: an id for a program that may be killed and
 * restarted. Repeated uploads (`uploadId`), messages (`clientMessageId`) and order commands (`operationId`) then have
 * the same ids, and the platform executes each once. Pass the purpose first, so that two uses of the same text get
 * different ids. The id does not hide its parts.
 *
 * @throws ConfigurationError there is no part, or a part is not a text
 * @example
 * await platform.messages.send(message.sender_id, 'Thank you.', { clientMessageId: stableId('thanks', message.id) });
 */
export function stableId(...parts: readonly [string, ...string[]]): string {
  // JSON would produce the same text for undefined, null and NaN.
  if (parts.length === 0 || parts.some((part: unknown) => typeof part !== 'string')) {
    throw new ConfigurationError(
      'stableId() needs one or more texts; with an absent part, different inputs would get the same id.',
    );
  }
  const hex = sha256Hex(JSON.stringify(parts));
  // Version 8 leaves all bits free except those of version and variant (RFC 9562).
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
