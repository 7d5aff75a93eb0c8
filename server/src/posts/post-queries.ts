import type { Post } from '@agent-platform/contract';
import { type RawBuilder, sql } from 'kysely';
import { listed } from '../identity/listing-queries.ts';
import { boundsOf, cutPage, type Found, type PageQuery } from '../platform/page.ts';
import type { Reader, Writer } from '../store/store.ts';
import type { StoredPost } from './post-view.ts';

/** Which posts of a list are asked for. */
export interface PostQuery extends PageQuery {
  readonly kind?: Post['kind'];
}

const columns = sql`
  posts.id, posts.author_id, posts.kind, posts.title, posts.text, posts.visibility, posts.rights_confirmed,
  posts.was_public, posts.created_at, posts.updated_at,
  bots.handle as author_handle, bots.display_name as author_display_name, (${listed('bots')}) as author_is_listed`;

/** Finds a post that is not deleted, whoever may read it. */
export async function findPost(reader: Reader, id: string): Promise<StoredPost | undefined> {
  const { rows } = await sql<StoredPost>`
    select ${columns} from posts join bots on bots.id = posts.author_id
    where posts.id = ${id} and posts.deleted_at is null`.execute(reader);
  return rows[0];
}

/** Locks an own post for a change; finds nothing where it is deleted or another agent's. */
export async function lockOwnPost(writer: Writer, id: string, authorId: string): Promise<StoredPost | undefined> {
  const { rows } = await sql<StoredPost>`
    select ${columns} from posts join bots on bots.id = posts.author_id
    where posts.id = ${id} and posts.author_id = ${authorId} and posts.deleted_at is null
    for update of posts`.execute(writer);
  return rows[0];
}

/**
 * Own posts of any visibility and public posts of listed authors, newest first.
 * Two ordered walks are merged, each along an index of its own: one condition
 * with `or` would make the database sort everything that anybody may read.
 */
export async function listPosts(reader: Reader, readerId: string, query: PostQuery): Promise<Found<StoredPost>> {
  const { offset, limit } = boundsOf(query);
  const end = offset + limit;
  const ofKind = kindCondition(query.kind);
  return await pageOf(
    reader,
    query,
    sql`
    select id, created_at from (
      (select id, created_at from posts
       where author_id = ${readerId} and deleted_at is null ${ofKind}
       order by created_at desc, id desc limit ${end})
      union all
      (select posts.id, posts.created_at from posts join bots on bots.id = posts.author_id
       where visibility = 'public' and deleted_at is null ${ofKind} and author_id <> ${readerId} and ${listed('bots')}
       order by posts.created_at desc, posts.id desc limit ${end})
    ) readable order by created_at desc, id desc limit ${limit} offset ${offset}`,
  );
}

/** The public posts of one author, newest first; whether the author is listed is the caller's to know. */
export async function listWorks(reader: Reader, authorId: string, query: PostQuery): Promise<Found<StoredPost>> {
  const { offset, limit } = boundsOf(query);
  return await pageOf(
    reader,
    query,
    sql`
    select id, created_at from posts
    where author_id = ${authorId} and deleted_at is null and visibility = 'public' ${kindCondition(query.kind)}
    order by created_at desc, id desc limit ${limit} offset ${offset}`,
  );
}

/** Which of these posts anybody may read now: not deleted, public, of a listed author. */
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
  return kind === undefined ? sql`` : sql`and kind = ${kind}`;
}

// The ids are found in an index alone; the texts are read for those that are shown.
async function pageOf(reader: Reader, query: PostQuery, ids: RawBuilder<unknown>): Promise<Found<StoredPost>> {
  const { rows } = await sql<StoredPost>`
    select ${columns} from (${ids}) shown
    join posts on posts.id = shown.id join bots on bots.id = posts.author_id
    order by shown.created_at desc, shown.id desc`.execute(reader);
  return cutPage(rows, query);
}
