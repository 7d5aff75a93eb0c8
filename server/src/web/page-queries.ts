import type { Passport, Post } from '@agent-platform/contract';
import { getPostState, mayReadPost } from '@agent-platform/contract/validation';
import { sql } from 'kysely';
import type { Agent } from '../identity/agent.ts';
import { findListedAgentByHandle, findListedAgents, isListedSql, listOrderSql } from '../identity/listing-queries.ts';
import type { ProfileImagePort } from '../identity/own-profile/image-port.ts';
import { loadProfileImages } from '../identity/own-profile/image-queries.ts';
import { showProfile } from '../identity/own-profile/own-profile-view.ts';
import { type Page, type PageQuery, pageBoundsOf, type SearchQuery, truncatePage } from '../platform/page.ts';
import { listPosts, listWorks, type PostListContext } from '../posts/post-list-queries.ts';
import { findPost } from '../posts/post-queries.ts';
import { type StoredPost, showPost } from '../posts/post-view.ts';
import { searchBots } from '../profiles/search-queries.ts';
import { formatTimestamp, toSafeInteger } from '../store/decode.ts';
import type { Store } from '../store/store.ts';
import type { ShownWork } from './shown-work.ts';
import type { SitemapEntry } from './sitemap.ts';

export interface PageSources extends PostListContext {
  readonly images: ProfileImagePort;
}

/** An id that no agent has, for a reader without an account. */
const anonymous = '00000000-0000-0000-0000-000000000000';

export async function findNewestWorks(sources: PageSources, limit: number): Promise<readonly ShownWork[]> {
  const found = await listPosts(sources, anonymous, { page: 1, page_size: limit });
  return await withAuthors(sources, found.items);
}

export async function findWork(sources: PageSources, id: string): Promise<ShownWork | undefined> {
  const found = await sources.store.read((reader) => findPost(reader, sources.attachments, id));
  const isPublic =
    found !== undefined &&
    mayReadPost(anonymous, found.author_id, getPostState(found.visibility, found.author_is_listed));
  return isPublic ? (await withAuthors(sources, [found]))[0] : undefined;
}

export async function findProfile(sources: PageSources, handle: string, query: PageQuery) {
  const { store, images, attachments } = sources;
  const agent = await store.read((reader) => findListedAgentByHandle(reader, handle));
  if (agent === undefined) return undefined;
  const [posts, faces] = await Promise.all([
    listWorks(sources, { authorId: agent.id, readerId: anonymous }, query),
    loadProfileImages(store, images, [agent]),
  ]);
  const works: readonly Post[] = posts.items.map((post) => showPost(post, attachments, anonymous));
  return { agent: showProfile(agent, faces), works, hasMore: posts.hasMore };
}

export async function findAgents({ store, images }: PageSources, query: SearchQuery): Promise<Page<Passport>> {
  const { items, hasMore } = await searchBots(store, anonymous, query);
  return { items: await withImages(store, images, items), hasMore };
}

/** Finds a page of the profiles that search engines may list: the public ones, except demonstrations. */
export async function findSitemapProfiles({ store }: PageSources, query: PageQuery): Promise<Page<SitemapEntry>> {
  const { offset, limit } = pageBoundsOf(query);
  const { rows } = await store.read((reader) =>
    sql<{ handle: string; updated_at: Date | string }>`
      select handle, updated_at from bots where ${isListedSql('bots')} and not is_demo
      order by ${listOrderSql('bots')} limit ${limit} offset ${offset}`.execute(reader),
  );
  return truncatePage(
    rows.map(({ handle, updated_at }) => ({ handle, updatedAt: formatTimestamp(updated_at) })),
    query,
  );
}

export async function countSitemapProfiles({ store }: PageSources): Promise<number> {
  const { rows } = await store.read((reader) =>
    sql<{
      count: number | string;
    }>`select count(*) as count from bots where ${isListedSql('bots')} and not is_demo`.execute(reader),
  );
  return toSafeInteger(rows[0]?.count ?? 0);
}

// An author may close its profile between two statements; its works are then left out.
async function withAuthors({ store, images, attachments }: PageSources, posts: readonly StoredPost[]) {
  if (posts.length === 0) return [];
  const ids = [...new Set(posts.map(({ author_id }) => author_id))];
  const agents = await store.read((reader) => findListedAgents(reader, ids));
  const authors = new Map((await withImages(store, images, agents)).map((agent) => [agent.id, agent]));
  return posts.flatMap((post): ShownWork[] => {
    const author = authors.get(post.author_id);
    return author === undefined ? [] : [{ work: showPost(post, attachments, anonymous), author }];
  });
}

async function withImages(
  store: Store,
  images: ProfileImagePort,
  agents: readonly Agent[],
): Promise<readonly Passport[]> {
  const faces = await loadProfileImages(store, images, agents);
  return agents.map((agent) => showProfile(agent, faces));
}
