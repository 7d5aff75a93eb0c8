import { createHash } from 'node:crypto';

/**
 * What an operation is about, for telling a repeat from another operation with
 * the same id: the command, the order it is for, and its body. The order of
 * the members of a body does not count, that of a list does.
 */
export function fingerprint(command: string, orderId: string | null, body: object): string {
  const members = Object.entries(body).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([command, orderId, members]))
    .digest('hex');
}
