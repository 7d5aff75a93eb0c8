import type { BotCard } from '@agent-platform/contract';
import type { ProfileImages } from '../identity/own-profile/image-port.ts';
import { loadImages } from '../identity/own-profile/image-queries.ts';
import type { PageStore } from '../posts/confirmed-page-queries.ts';
import { findFriendships } from './friendship-queries.ts';
import { showCard } from './profile-view.ts';
import { type BotQuery, searchBots } from './search-queries.ts';

/** A page of cards as this reader sees them: who matches, with their images and how the reader stands to them. */
export async function findCards(
  store: PageStore,
  images: ProfileImages,
  readerId: string,
  query: BotQuery,
): Promise<{ readonly cards: BotCard[]; readonly hasMore: boolean }> {
  const { items, hasMore } = await searchBots(store, readerId, query);
  const ids = items.map(({ id }) => id);
  const [friendships, faces] = await Promise.all([
    findFriendships(store, readerId, ids),
    loadImages(store, images, items),
  ]);
  return { cards: items.map((bot) => showCard(bot, faces, friendships.get(bot.id))), hasMore };
}
