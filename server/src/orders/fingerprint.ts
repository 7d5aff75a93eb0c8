import { createHash } from 'node:crypto';

/**
 * Identifies the content of an operation: the command, its order and its body. A
 * repeat has the same fingerprint. The order of the fields of a body is irrelevant,
 * the order of a list is not.
 */
export function fingerprint(command: string, orderId: string | null, body: object): string {
  const fields = Object.entries(body).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([command, orderId, fields]))
    .digest('hex');
}
