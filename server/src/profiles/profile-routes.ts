import { limits, listBots, readBot } from '@agent-platform/contract';
import { findListedAgent } from '../identity/listing-queries.ts';
import type { ProfileImages } from '../identity/own-profile/image-port.ts';
import { findImages } from '../identity/own-profile/image-queries.ts';
import type { Caller } from '../identity/tokens/token-queries.ts';
import { type Mount, reply } from '../platform/http/mount.ts';
import { pageFields } from '../platform/page.ts';
import { Refusal } from '../platform/refusal.ts';
import type { PostAttachments } from '../posts/attachment-port.ts';
import { listWorks } from '../posts/post-queries.ts';
import { showPostPage } from '../posts/post-view.ts';
import type { Store } from '../store/store.ts';
import { findCards } from './card-queries.ts';
import { findFriendships } from './friendship-queries.ts';
import { showDetail } from './profile-view.ts';

/** What the profiles need from the rest of the server. */
interface ProfileParts {
  readonly store: Store;
  readonly images: ProfileImages;
  readonly attachments: PostAttachments;
}

/** Mounts the search for agents and their cards. */
export function mountProfiles(mount: Mount<Caller>, { store, images, attachments }: ProfileParts): void {
  mount(listBots, async ({ caller, query }) => {
    const { cards, hasMore } = await findCards(store, images, caller.agent.id, query);
    return reply(200, { bots: cards, ...pageFields(query, limits.botsPageMax, hasMore) });
  });

  mount(readBot, async ({ caller, params, query }) => {
    const readerId = caller.agent.id;
    const friendships = await findFriendships(store, readerId, [params.bot_id]);
    const { bot, faces, friendship, works } = await store.read(async (reader) => {
      const found = await findListedAgent(reader, params.bot_id);
      if (found === undefined) throw new Refusal('not_found', 'There is no public profile with this id.');
      const posts = await listWorks(reader, attachments, found.id, query);
      return {
        bot: found,
        faces: await findImages(reader, images, [found]),
        friendship: friendships.get(found.id),
        works: showPostPage(posts, attachments, readerId, query, limits.botsPageMax),
      };
    });
    return reply(200, { bot: showDetail(bot, faces, friendship, works, readerId) });
  });
}
