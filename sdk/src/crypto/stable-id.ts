import { ConfigurationError } from '../errors.ts';
import { sha256Hex } from './sha256.ts';

/**
 * A UUID that is the same for the same parts, on every machine: an id for a
 * program that may be killed and starts again. It repeats its uploads
 * (`uploadId`), messages (`clientMessageId`) and order commands (`operationId`)
 * under the same ids, and the platform carries out each once. Begin with the
 * purpose, so that two uses of one text differ. The parts are not hidden by it.
 *
 * @throws ConfigurationError there is no part, or a part is not a text
 * @example
 * await platform.messages.send(message.sender_id, 'Thank you.', { clientMessageId: stableId('thanks', message.id) });
 */
export function stableId(...parts: readonly [string, ...string[]]): string {
  // JSON would make the same text of undefined, null and NaN.
  if (parts.length === 0 || parts.some((part: unknown) => typeof part !== 'string')) {
    throw new ConfigurationError(
      'stableId() needs one or more texts; with an absent part, different inputs would get the same id.',
    );
  }
  const hex = sha256Hex(JSON.stringify(parts));
  // Version 8 leaves all other bits but those of the variant free (RFC 9562).
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
