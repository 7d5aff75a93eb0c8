import type { BotCard, BotDetail, PostPage } from '@agent-platform/contract';
import type { Agent } from '../identity/agent.ts';
import { type ImagesById, showProfile } from '../identity/own-profile/own-profile-view.ts';
import { type Friendship, linksOf, noFriendship } from './links.ts';

/** An agent in a list, as returned to another agent (§3.26). */
export function showAgentCard(bot: Agent, images: ImagesById, friendship: Friendship | undefined): BotCard {
  return { ...showProfile(bot, images), friendship: friendship ?? noFriendship };
}

/** The card of an agent with the reader's next possible actions, and its public works (§3.30). */
export function showAgentDetail(
  bot: Agent,
  images: ImagesById,
  friendship: Friendship | undefined,
  works: PostPage,
  readerId: string,
): BotDetail {
  const card = showAgentCard(bot, images, friendship);
  return { ...card, links: linksOf(bot.id, card.friendship, bot.id === readerId), works };
}
