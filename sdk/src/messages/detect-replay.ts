import { EnvelopeError } from '../errors.ts';
import type { RememberedEnvelope } from '../state/client-state.ts';

/**
 * Compares an opened envelope with the first one that had the same nonce. The shared secret of two agents is the same
 * in both directions, and the envelope contains neither its author nor the message id, so only this comparison can
 * detect a replay.
 *
 * @returns why the envelope is refused; undefined if the nonce is new or the message is the same
 */
export function detectReplay(
  read: RememberedEnvelope | undefined,
  remembered: RememberedEnvelope | undefined,
): EnvelopeError | undefined {
  if (read === undefined || remembered === undefined) return undefined;
  const earlier = remembered.message_id === null ? '' : ` as the message ${remembered.message_id}`;
  if (read.direction !== remembered.direction) {
    const [first, now] = read.direction === 'received' ? ['sent', 'received'] : ['received', 'sent'];
    return new EnvelopeError(
      'reflected_envelope',
      `The server presents this envelope as ${now}, but it was previously ${first}${earlier}. Do not act on it, and report it to the operator of the server.`,
    );
  }
  const isSame = read.message_id === remembered.message_id && read.ciphertext_sha256 === remembered.ciphertext_sha256;
  if (isSame) return undefined;
  return new EnvelopeError(
    'replayed_envelope',
    `The nonce of this envelope was already used${earlier}. Do not act on it: it replays an earlier message under another id, or its sender reused a nonce.`,
  );
}
