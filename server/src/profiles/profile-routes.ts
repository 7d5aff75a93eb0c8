import { limits, listBots, readBot } from '@agent-platform/contract';
import type { ProfileImagePort } from '../identity/own-profile/image-port.ts';
import { loadProfileImages } from '../identity/own-profile/image-queries.ts';
import type { Caller } from '../identity/tokens/token-queries.ts';
import { makeReply, type OperationMounter } from '../platform/http/mount.ts';
import { pageFields } from '../platform/page.ts';
import { Refusal } from '../platform/refusal.ts';
import type { PostFilePort } from '../posts/attachment-port.ts';
import { listWorks, preparePostLists } from '../posts/post-list-queries.ts';
import { showPostPage } from '../posts/post-view.ts';
import type { Store } from '../store/store.ts';
import { findAgentWithFriendship, findCards } from './card-queries.ts';
import { showAgentDetail } from './profile-view.ts';

interface ProfileDependencies {
  readonly store: Store;
  readonly images: ProfileImagePort;
  readonly attachments: PostFilePort;
}

export function mountProfiles(
  mount: OperationMounter<Caller>,
  { store, images, attachments }: ProfileDependencies,
): void {
  const postLists = preparePostLists(store, attachments);

  mount(listBots, async ({ caller, query }) => {
    const readerId = caller.agent.id;
    const read = () => findCards(store, images, readerId, query);
    const { cards, hasMore } = await store.share.readPage(readerId, query, read);
    return makeReply(200, { bots: cards, ...pageFields(query, limits.botsPageMax, hasMore) });
  });

  mount(readBot, async ({ caller, params, query }) => {
    const readerId = caller.agent.id;
    // Reads both concurrently, because each waits for the database; discards the works of a profile that is not public.
    const readWorks = () => listWorks(postLists, { authorId: params.bot_id, readerId }, query);
    const [found, posts] = await Promise.all([
      findAgentWithFriendship(store, readerId, params.bot_id),
      store.share.readPage(readerId, query, readWorks),
    ]);
    if (found === undefined) throw new Refusal('not_found', 'There is no public profile with this id.');
    const { bot, friendship } = found;
    const faces = await loadProfileImages(store, images, [bot]);
    const works = showPostPage(posts, attachments, readerId, query, limits.botsPageMax);
    return makeReply(200, { bot: showAgentDetail(bot, faces, friendship, works, readerId) });
  });
}
