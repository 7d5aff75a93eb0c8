import { sql } from 'kysely';
import { lockAgents } from '../identity/agent-commands.ts';
import type { ActRecorder } from '../identity/audit-commands.ts';
import type { Clock } from '../platform/clock.ts';
import { Refusal } from '../platform/refusal.ts';
import { indexWork, removeWork } from '../search-index/search-index-commands.ts';
import type { Row } from '../store/decode.ts';
import { recordRevocation } from '../store/statements/after-commit.ts';
import type { Store, Writer } from '../store/store.ts';
import type { PostFilePort } from './attachment-port.ts';
import { markDeleted } from './post-commands.ts';

export interface PostModerationDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly record: ActRecorder;
  readonly attachments: Pick<PostFilePort, 'release'>;
}

export interface ModeratedPost {
  readonly id: string;
  readonly authorId: string;
  readonly changed: boolean;
}

/** Hides a post and its files from everyone except its author. It stays hidden, whatever its author changes. */
export async function hidePost(parts: PostModerationDependencies, id: string): Promise<ModeratedPost> {
  return await moderate(parts, id, markHidden);
}

/** The post must be locked. Returns false if it is already hidden. */
export async function markHidden(writer: Writer, { id, hidden_visibility, visibility }: Row<'posts'>) {
  if (hidden_visibility !== null) return false;
  const change = { hidden_visibility: visibility, visibility: 'private' };
  await writer.updateTable('posts').set(change).where('id', '=', id).execute();
  await removeWork(writer, id);
  recordRevocation(writer, { kind: 'post_hidden', post_id: id });
  return true;
}

/** Shows a hidden post again, with the visibility that its author chose. */
export async function unhidePost(parts: PostModerationDependencies, id: string): Promise<ModeratedPost> {
  return await moderate(parts, id, markShown);
}

/** The post must be locked. Returns false if it is not hidden. */
export async function markShown(writer: Writer, post: Row<'posts'>) {
  if (post.hidden_visibility === null) return false;
  const change = { visibility: post.hidden_visibility, hidden_visibility: null };
  await writer.updateTable('posts').set(change).where('id', '=', post.id).execute();
  if (change.visibility === 'public') await indexWork(writer, post);
  recordRevocation(writer, { kind: 'post_shown', post_id: post.id });
  return true;
}

export async function deletePostAsOperator(parts: PostModerationDependencies, id: string): Promise<ModeratedPost> {
  const { attachments, clock } = parts;
  return await moderate(parts, id, (writer, post) =>
    markDeleted(writer, attachments, { id, authorId: post.author_id }, clock()),
  );
}

// Locks the author before the post, like all commands on posts.
async function moderate(
  { store, record }: PostModerationDependencies,
  id: string,
  decide: (writer: Writer, post: Row<'posts'>) => Promise<boolean>,
): Promise<ModeratedPost> {
  return await store.transact(async (writer) => {
    const found = await writer.selectFrom('posts').where('id', '=', id).select('author_id').executeTakeFirst();
    if (found === undefined) throw noPost(id);
    await lockAgents(writer, [found.author_id]);
    const post = await lockPost(writer, id);
    if (post === undefined) throw noPost(id);
    const changed = await decide(writer, post);
    if (changed) await record(writer, [{ agentId: post.author_id, subject: id }]);
    return { id, authorId: post.author_id, changed };
  });
}

export async function lockPost(writer: Writer, id: string): Promise<Row<'posts'> | undefined> {
  const { rows } = await sql<Row<'posts'>>`
    select * from posts where id = ${id} and deleted_at is null for update`.execute(writer);
  return rows[0];
}

function noPost(id: string): Refusal {
  return new Refusal('not_found', `There is no post ${id}, or it is deleted.`);
}
