import { type RawBuilder, sql } from 'kysely';
import type { Agent } from '../identity/agent.ts';
import { agentColumns, isListedSql } from '../identity/listing-queries.ts';
import type { Reader, Writer } from '../store/store.ts';
import type { PostFilePort } from './attachment-port.ts';
import type { StoredPost } from './post-view.ts';

const columns = sql`
  posts.id, posts.author_id, posts.kind, posts.title, posts.text, posts.visibility, posts.rights_confirmed,
  posts.was_public, posts.hidden_visibility, posts.created_at, posts.updated_at,
  bots.handle as author_handle, bots.display_name as author_display_name, (${isListedSql('bots')}) as author_is_listed`;

/** The columns of a `StoredPost`, from the tables `posts` and `bots` (its author). */
export function storedPostColumns(attachments: PostFilePort): RawBuilder<unknown> {
  return sql`${columns}, ${attachments.selectOfPost(sql.ref('posts.id'))} as files`;
}

/** Finds a post that is not deleted, whether or not the caller may read it. */
export async function findPost(reader: Reader, attachments: PostFilePort, id: string): Promise<StoredPost | undefined> {
  const { rows } = await sql<StoredPost>`
    select ${storedPostColumns(attachments)} from posts join bots on bots.id = posts.author_id
    where posts.id = ${id} and posts.deleted_at is null`.execute(reader);
  return rows[0];
}

interface LockedPost extends StoredPost, Pick<Agent, 'text_bytes_quota'> {}

/**
 * Locks the author's profile (for share) and then one of the author's posts (for update). Finds nothing if the post is
 * deleted or belongs to another agent, or if the author is suspended.
 */
export async function lockOwnPost(
  writer: Writer,
  attachments: PostFilePort,
  id: string,
  authorId: string,
): Promise<LockedPost | undefined> {
  const { rows } = await sql<LockedPost>`
    select ${storedPostColumns(attachments)}, bots.text_bytes_quota
    from (select ${agentColumns('bots')} from bots where id = ${authorId} and suspended_at is null for share) bots
    join posts on posts.author_id = bots.id and posts.id = ${id} and posts.deleted_at is null
    for update of posts`.execute(writer);
  return rows[0];
}

export async function findPublicPostIds(reader: Reader, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    select posts.id from posts join bots on bots.id = posts.author_id
    where posts.id in (${sql.join(ids)}) and deleted_at is null and visibility = 'public' and ${isListedSql('bots')}`.execute(
    reader,
  );
  return new Set(rows.map(({ id }) => id));
}
