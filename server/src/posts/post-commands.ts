import type { NewPost, PostChange } from '@agent-platform/contract';
import {
  applyPostChange,
  findChangedMembers,
  findPostFault,
  isSameFileSet,
  type PostContent,
  withPostDefaults,
} from '@agent-platform/contract/validation';
import { type Agent, isListed } from '../identity/agent.ts';
import { lockProfile } from '../identity/agent-commands.ts';
import { resolveTextQuota } from '../identity/agent-quotas.ts';
import { computeUsageRowMaxBytes, countTextBytes } from '../identity/text-usage.ts';
import { addTextBytesSql, chargeTextBytes } from '../identity/text-usage-commands.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/crypto.ts';
import { Refusal } from '../platform/refusal.ts';
import { indexedValues, indexWork, indexWorksSql, removeWork } from '../search-index/search-index-commands.ts';
import { recordRevocation } from '../store/statements/after-commit.ts';
import { prepareBatchedWrite } from '../store/statements/batched-statement.ts';
import type { Store, Writer } from '../store/store.ts';
import type { PostFilePort } from './attachment-port.ts';
import { findPost, lockOwnPost } from './post-queries.ts';
import { removeSurplusPosts } from './post-retention-commands.ts';
import { chosenVisibility, type PostRow, type StoredPost } from './post-view.ts';

export interface PostDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly attachments: PostFilePort;
  /** The default text quota of an agent; 0 means unlimited. */
  readonly agentTextBytes: number;
}

export function postNotFoundRefusal(): Refusal {
  return new Refusal('not_found', 'The post does not exist or is not accessible to this agent.');
}

// All commands lock the profile first, then the post, then files, so that concurrent commands wait for each other
// instead of deadlocking.

/** Publishes a post; its set of files cannot change afterwards. */
export async function createPost(parts: PostDependencies, author: Agent, sent: NewPost): Promise<StoredPost> {
  const { store, clock, attachments, agentTextBytes } = parts;
  const content = withPostDefaults(sent);
  const attachmentIds = sent.attachment_ids ?? [];
  const hasFiles = attachmentIds.length > 0;
  const isPublic = content.visibility === 'public';
  const findFault = (now: Agent) =>
    findPostFault(content, { profileIsOpen: isListed(now), hasFiles, wasPublic: false, asksForPublic: isPublic });
  const row = { id: newId(), author_id: author.id, ...content, was_public: isPublic };
  if (!hasFiles && findFault(author) === undefined) {
    const published = await publishAsKnown(parts, author, row);
    if (published !== undefined) return published;
  }
  // A transaction is needed if there are files, if the author has changed, or if usage must be redistributed.
  return await store.transact(async (writer) => {
    const current = await lockProfile(writer, author.id);
    const fault = findFault(current);
    if (fault !== undefined) throw new Refusal(fault.code, fault.message);
    const now = clock();
    await writer
      .insertInto('posts')
      .values({ ...row, created_at: now, updated_at: now, deleted_at: null })
      .execute();
    await attachments.bind(writer, row.id, author.id, attachmentIds);
    if (isPublic) await indexWork(writer, row);
    await chargeTextBytes(
      writer,
      author.id,
      countTextBytes(content.title, content.text),
      resolveTextQuota(current, agentTextBytes),
    );
    return await loadPost(writer, attachments, row.id);
  });
}

/** Publishes a post without files in one statement if its author is unchanged; otherwise returns undefined. */
async function publishAsKnown(
  { store, clock, agentTextBytes }: PostDependencies,
  author: Agent,
  row: PostContent & Pick<PostRow, 'id' | 'author_id' | 'was_public'>,
): Promise<StoredPost | undefined> {
  const { id, author_id, kind, title, text, visibility, rights_confirmed, was_public } = row;
  const now = clock();
  const slotMax = computeUsageRowMaxBytes(resolveTextQuota(author, agentTextBytes));
  const values = [id, author_id, kind, title, text, visibility, rights_confirmed, was_public, now];
  const indexed = was_public ? indexedValues(row) : [null, null, null];
  const written = await store.ask(publishPost, [
    ...values,
    author.profile_public,
    countTextBytes(title, text),
    slotMax,
    ...indexed,
  ]);
  if (written === undefined) return undefined;
  const { handle: author_handle, display_name: author_display_name } = author;
  const ofAuthor = { author_handle, author_display_name, author_is_listed: isListed(author) };
  return { ...row, hidden_visibility: null, created_at: now, updated_at: now, ...ofAuthor, files: null };
}

const postParameters = {
  id: 'uuid',
  author_id: 'uuid',
  kind: 'text',
  title: 'text',
  text: 'text',
  visibility: 'text',
  rights_confirmed: 'boolean',
  was_public: 'boolean',
  created_at: 'timestamptz',
  profile_public: 'boolean',
  bytes: 'bigint',
  slot_max_bytes: 'bigint',
  indexed_text: 'text',
  grams: 'text',
  rare_grams: 'text',
} as const;
const postColumns = Object.keys(postParameters).slice(0, 9).join(', ');

// Locks the profiles of the authors, counts the texts in each author's usage row for this connection, writes the posts,
// and indexes the public ones. A batch leaves out posts whose author's profile is being changed, and all posts of an
// author if they exceed the author's usage row.
const publishPosts = (isBatch: boolean) => (calls: string) =>
  `with calls as materialized (${calls}),
   author as (
     select id as author_id, profile_public from bots
     where suspended_at is null and id in (select author_id from calls)
     order by id for share ${isBatch ? 'skip locked' : ''}),
   known as (select * from calls join author using (author_id, profile_public)),
   counted as (${addTextBytesSql(
     'author_id',
     'sum(bytes)',
     'from known group by author_id having sum(bytes) <= max(slot_max_bytes) order by author_id',
     '(select max(slot_max_bytes) from calls where author_id = excluded.agent_id)',
   )}),
   written as (
     insert into posts (${postColumns}, updated_at)
     select ${postColumns}, created_at from known where author_id in (select agent_id from counted)
     returning id, author_id),
   indexed as (${indexWorksSql('select * from calls join written using (id, author_id) where was_public')})
   select call_number::integer from calls join written using (id)`;

const publishPost = prepareBatchedWrite<object, keyof typeof postParameters>('publish-post', postParameters, {
  alone: publishPosts(false),
  together: publishPosts(true),
});

/** Does not find a post of another agent. Writes nothing if nothing changes. */
export async function changePost(
  parts: PostDependencies,
  authorId: string,
  postId: string,
  change: PostChange,
): Promise<StoredPost> {
  return await parts.store.transact(async (writer) => {
    const stored = await lockOwnPost(writer, parts.attachments, postId, authorId);
    if (stored === undefined) {
      await lockProfile(writer, authorId);
      throw postNotFoundRefusal();
    }
    const boundIds = parts.attachments.show(stored.files, authorId, authorId).map(({ id }) => id);
    const chosen = { ...stored, visibility: chosenVisibility(stored) };
    const content = applyPostChange(chosen, change);
    const situation = { profileIsOpen: stored.author_is_listed, hasFiles: boundIds.length > 0 };
    const asksForPublic = change.visibility === 'public';
    const fault = findPostFault(content, { ...situation, wasPublic: stored.was_public, asksForPublic });
    if (fault !== undefined) throw new Refusal(fault.code, fault.message);
    if (change.attachment_ids !== undefined && !isSameFileSet(change.attachment_ids, boundIds)) {
      throw new Refusal(
        'immutable_attachments',
        'The files of a post are fixed at creation. Omit attachment_ids, or create another post.',
      );
    }
    const changed = await writeChange(parts, writer, chosen, content, resolveTextQuota(stored, parts.agentTextBytes));
    return { ...stored, ...changed };
  });
}

async function writeChange(
  parts: PostDependencies,
  writer: Writer,
  stored: PostRow,
  content: PostContent,
  quotaBytes: number,
): Promise<Partial<PostRow>> {
  const { id, author_id } = stored;
  // Only changed texts are sent, because the database rewrites every text that it receives.
  const changes = findChangedMembers(stored, content);
  if (Object.keys(changes).length === 0) return {};
  const { visibility, ...others } = changes;
  const isHidden = stored.hidden_visibility !== null;
  const chosen = visibility === undefined ? {} : { [isHidden ? 'hidden_visibility' : 'visibility']: visibility };
  const was_public = stored.was_public || content.visibility === 'public';
  const changed = { ...others, ...chosen, was_public, updated_at: parts.clock() };
  await writer.updateTable('posts').set(changed).where('id', '=', id).execute();
  const [wasPublic, isPublic] = [stored, content].map((post) => !isHidden && post.visibility === 'public');
  const saysOther = changes.title !== undefined || changes.text !== undefined;
  if (isPublic && (saysOther || !wasPublic)) await indexWork(writer, { id, author_id, ...content });
  if (!isPublic && wasPublic) await removeWork(writer, id);
  const addedBytes = countTextBytes(content.title, content.text) - countTextBytes(stored.title, stored.text);
  await chargeTextBytes(writer, author_id, addedBytes, quotaBytes);
  return changed;
}

export async function deletePost({ store, clock, attachments }: PostDependencies, authorId: string, postId: string) {
  await store.transact(async (writer) => {
    await lockProfile(writer, authorId);
    if (!(await markDeleted(writer, attachments, { id: postId, authorId }, clock()))) throw postNotFoundRefusal();
  });
}

/** The caller must have locked the author's row. Returns false if the author no longer has such a post. */
export async function markDeleted(
  writer: Writer,
  attachments: Pick<PostFilePort, 'release'>,
  { id, authorId }: { readonly id: string; readonly authorId: string },
  now: Date,
): Promise<boolean> {
  const deleted = await writer
    .updateTable('posts')
    .set({ deleted_at: now })
    .where('id', '=', id)
    .where('author_id', '=', authorId)
    .where('deleted_at', 'is', null)
    .returning(['title', 'text'])
    .executeTakeFirst();
  if (deleted === undefined) return false;
  await removeWork(writer, id);
  await attachments.release(writer, id, now);
  await removeSurplusPosts(writer, authorId);
  await chargeTextBytes(writer, authorId, -countTextBytes(deleted.title, deleted.text), 0);
  recordRevocation(writer, { kind: 'post_deleted', post_id: id });
  return true;
}

async function loadPost(writer: Writer, attachments: PostFilePort, postId: string): Promise<StoredPost> {
  const post = await findPost(writer, attachments, postId);
  if (post === undefined) throw postNotFoundRefusal();
  return post;
}
