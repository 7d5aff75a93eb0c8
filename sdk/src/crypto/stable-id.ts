import { ConfigurationError } from '../errors.ts';
import { sha256Hex } from './sha256.ts';

/**
 * Derives a UUID from texts; the same texts give the same UUID on every machine. If a program that was killed repeats
 * an upload (`uploadId`), a message (`clientMessageId`) or an order command (`operationId`) with the same id, the
 * platform executes it only once. Pass the purpose first, so that two uses of the same text get different ids. The id
 * does not keep the texts secret.
 *
 * @throws ConfigurationError no text was passed, or an argument is not a string
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
