import { limits, type Post } from '@agent-platform/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Agent } from '../identity/agent.ts';
import { agentColumns, listed } from '../identity/listing-queries.ts';
import { boundsOf, cutPage, type Page, type PageQuery } from '../platform/page.ts';
import { prepareSql } from '../store/prepared.ts';
import type { Reader, Store, Writer } from '../store/store.ts';
import type { PostAttachments } from './attachment-port.ts';
import type { StoredPost } from './post-view.ts';

/** The requested page of posts. */
export interface PostQuery extends PageQuery {
  readonly kind?: Post['kind'];
}

const columns = sql`
  posts.id, posts.author_id, posts.kind, posts.title, posts.text, posts.visibility, posts.rights_confirmed,
  posts.was_public, posts.hidden_visibility, posts.created_at, posts.updated_at,
  bots.handle as author_handle, bots.display_name as author_display_name, (${listed('bots')}) as author_is_listed`;

function withFiles(attachments: PostAttachments): RawBuilder<unknown> {
  return sql`${columns}, ${attachments.selectOfPost(sql.ref('posts.id'))} as files`;
}

/** Finds a post that is not deleted, whether or not the caller may read it. */
export async function findPost(
  reader: Reader,
  attachments: PostAttachments,
  id: string,
): Promise<StoredPost | undefined> {
  const { rows } = await sql<StoredPost>`
    select ${withFiles(attachments)} from posts join bots on bots.id = posts.author_id
    where posts.id = ${id} and posts.deleted_at is null`.execute(reader);
  return rows[0];
}

/** What a change of a post is decided on besides. */
interface LockedPost extends StoredPost, Pick<Agent, 'text_bytes_quota'> {}

/**
 * Locks an own post for a change, and before it the profile of its author, which stays as it is; finds nothing where
 * it is deleted or another agent's, or where the author is suspended.
 */
export async function lockOwnPost(
  writer: Writer,
  attachments: PostAttachments,
  id: string,
  authorId: string,
): Promise<LockedPost | undefined> {
  const { rows } = await sql<LockedPost>`
    select ${withFiles(attachments)}, bots.text_bytes_quota
    from (select ${agentColumns('bots')} from bots where id = ${authorId} and suspended_at is null for share) bots
    join posts on posts.author_id = bots.id and posts.id = ${id} and posts.deleted_at is null
    for update of posts`.execute(writer);
  return rows[0];
}

/**
 * Prepares the first pages, which are requested most, for two sizes: a limit that
 * the planner does not know makes it plan for a large part of everything. A smaller
 * page is the beginning of the next larger one.
 */
export function prepareFirstPages(attachments: PostAttachments) {
  const pageFor = (kind: Post['kind'] | undefined, rows: number) => {
    const ids = sql`${readable('', kind, sql.lit(rows), soonListed)} limit ${rows}`;
    return prepareSql(`posts-${kind ?? 'all'}-${rows}`, pageOf(attachments, ids));
  };
  const pagesFor = (rows: number) => ({
    all: pageFor(undefined, rows),
    update: pageFor('update', rows),
    portfolio: pageFor('portfolio', rows),
  });
  // One row more than the page that is the default, and than the largest one.
  const usualRows = limits.pageSizeDefault + 1;
  const [usual, largest] = [pagesFor(usualRows), pagesFor(limits.pageSizeMax + 1)];
  return (kind: Post['kind'] | undefined, rows: number) => (rows > usualRows ? largest : usual)[kind ?? 'all'];
}

/** Own posts of any visibility and public posts of listed authors, newest first. */
export async function listPosts(
  store: Pick<Store, 'read' | 'run'>,
  attachments: PostAttachments,
  firstPages: ReturnType<typeof prepareFirstPages>,
  readerId: string,
  query: PostQuery,
): Promise<Page<StoredPost>> {
  const { offset, limit } = boundsOf(query);
  if (offset === 0) return cutPage(await store.run(firstPages(query.kind, limit), [readerId, readerId, limit]), query);
  const end = sql`${offset + limit}`;
  const deep = sql`${readable(readerId, query.kind, end, joinedListed)} limit ${limit} offset ${offset}`;
  return await store.read(async (reader) => cutPage((await pageOf(attachments, deep).execute(reader)).rows, query));
}

// Two ordered index scans are merged: a single condition with `or` would make
// the database sort all readable posts.
function readable(
  readerId: string,
  kind: Post['kind'] | undefined,
  end: RawBuilder<unknown>,
  authors: ListedAuthors,
): RawBuilder<unknown> {
  const ofKind = kindCondition(kind);
  return sql`
    select id, created_at from (
      (select id, created_at from posts
       where author_id = ${readerId} and deleted_at is null ${ofKind}
       order by created_at desc, id desc limit ${end})
      union all
      (select posts.id, posts.created_at from posts ${authors.join}
       where visibility = 'public' and deleted_at is null ${ofKind} and author_id <> ${readerId} and ${authors.are}
       order by posts.created_at desc, posts.id desc limit ${end})
    ) readable order by created_at desc, id desc`;
}

/** How a statement asks whether the authors of posts are listed. */
interface ListedAuthors {
  readonly join: RawBuilder<unknown>;
  readonly are: RawBuilder<unknown>;
}

/** One by one: for a join the planner would make room for thousands of authors, which costs more than a first page. */
const soonListed: ListedAuthors = {
  join: sql``,
  are: sql`(select ${listed('bots')} from bots where bots.id = posts.author_id)`,
};

/** By a join, which a deep page needs. */
const joinedListed: ListedAuthors = { join: sql`join bots on bots.id = posts.author_id`, are: listed('bots') };

/** The public posts of one author, newest first; whether the author is listed is the caller's to know. */
export async function listWorks(
  reader: Reader,
  attachments: PostAttachments,
  authorId: string,
  query: PostQuery,
): Promise<Page<StoredPost>> {
  const { offset, limit } = boundsOf(query);
  const works = sql`
    select id, created_at from posts
    where author_id = ${authorId} and deleted_at is null and visibility = 'public' ${kindCondition(query.kind)}
    order by created_at desc, id desc limit ${limit} offset ${offset}`;
  return cutPage((await pageOf(attachments, works).execute(reader)).rows, query);
}

/** The ids of public posts: not deleted, public, of a listed author. */
export async function findPublicPostIds(reader: Reader, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select posts.id from posts join bots on bots.id = posts.author_id
    where posts.id in (${sql.join(ids)}) and deleted_at is null and visibility = 'public' and ${listed('bots')}`.execute(
    reader,
  );
  return new Set(rows.map(({ id }) => id));
}

function kindCondition(kind: Post['kind'] | undefined): RawBuilder<unknown> {
  return kind === undefined ? sql`` : sql`and kind = ${sql.lit(kind)}`;
}

// The ids are found in an index alone; the texts are read for those that are shown.
function pageOf(attachments: PostAttachments, ids: RawBuilder<unknown>): RawBuilder<StoredPost> {
  return sql<StoredPost>`
    select ${withFiles(attachments)} from (${ids}) shown
    join posts on posts.id = shown.id join bots on bots.id = posts.author_id
    order by shown.created_at desc, shown.id desc`;
}
