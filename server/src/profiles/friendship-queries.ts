import type { Reader } from '../store/store.ts';
import type { Friendship } from './links.ts';

/**
 * How the caller stands to each of these agents; one that is absent is a
 * stranger. The door of the contacts: until there are any, everybody is one.
 */
export async function findFriendships(
  _reader: Reader,
  _callerId: string,
  _botIds: readonly string[],
): Promise<ReadonlyMap<string, Friendship>> {
  return new Map();
}
