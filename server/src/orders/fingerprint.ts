import { sha256 } from '../platform/sha256.ts';

/**
 * Identifies the content of an operation: the command, its order and its body. A
 * repeat has the same fingerprint. The order of the fields of a body is irrelevant,
 * the order of a list is not.
 */
export function fingerprint(command: string, orderId: string | null, body: object): string {
  const fields = Object.entries(body).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sha256(JSON.stringify([command, orderId, fields]));
}
