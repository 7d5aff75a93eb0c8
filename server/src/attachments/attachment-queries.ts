import { type RawBuilder, sql } from 'kysely';
import { findListedAgent } from '../identity/listing-queries.ts';
import { findPublicPostIds } from '../posts/post-queries.ts';
import { columnsOf } from '../store/statements/prepared.ts';
import type { Reader } from '../store/store.ts';
import { chooseFileVersion } from './attachment.ts';
import type { StoredAttachment } from './attachment-view.ts';
import { type FileExpiry, isExpiredSql } from './file-expiry-queries.ts';

/** Whether an agent is a participant of an order and may therefore access its files. */
export type IsOrderParticipant = (reader: Reader, orderId: string, agentId: string) => Promise<boolean>;

/**
 * Finds a file and the version that the reader may access: for a public file, at least the processed one. Undefined if
 * the file is missing or the reader may not access it, so that readers cannot distinguish the two (§5.32).
 */
export async function findReadableFile(
  reader: Reader,
  id: string,
  readerId: string | undefined,
  isOrderParticipant: IsOrderParticipant,
  expiry: FileExpiry,
) {
  const [file] = await findAttachments(reader, [id], expiry);
  if (file?.state !== 'ready') return undefined;
  const isPublic = await isPublicNow(reader, file);
  const isOwner = readerId === file.owner_id;
  const orderId = file.bound_kind === 'order' ? file.bound_id : null;
  const mayParticipate = orderId !== null && readerId !== undefined && !isOwner;
  const audience = chooseFileVersion({
    isOwner,
    isOrderParticipant: mayParticipate && (await isOrderParticipant(reader, orderId, readerId)),
    isPublic,
  });
  return audience === undefined ? undefined : { file, audience, isPublic };
}

async function isPublicNow(reader: Reader, file: StoredAttachment): Promise<boolean> {
  if (file.bound_id === null || file.detached_at !== null || file.hidden_at !== null) return false;
  if (file.bound_kind === 'profile') return (await findListedAgent(reader, file.bound_id)) !== undefined;
  if (file.bound_kind === 'post') return (await findPublicPostIds(reader, [file.bound_id])).has(file.bound_id);
  return false;
}

export async function findUpload(reader: Reader, ownerId: string, uploadId: string, expiry: FileExpiry) {
  return await selectFiles(reader, expiry)
    .where('owner_id', '=', ownerId)
    .where('upload_id', '=', uploadId)
    .executeTakeFirst();
}

/** Does not check access. */
export async function findAttachments(
  reader: Reader,
  ids: readonly string[],
  expiry: FileExpiry,
): Promise<readonly StoredAttachment[]> {
  return ids.length === 0 ? [] : await selectFiles(reader, expiry).where('id', 'in', ids).execute();
}

/**
 * Selects the files of a post, sorted by position, as the text of a JSON array, because not all drivers parse JSON. The
 * result is null if the post has no files.
 */
export function selectFilesOfPost(postId: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql`(
    select json_agg(attachments order by position)::text from attachments
    where bound_kind = 'post' and bound_id = ${postId}
  )`;
}

export function parseFilesOfPost(selected: string | null): readonly StoredAttachment[] {
  return selected === null ? [] : JSON.parse(selected);
}

export async function findFilesOfOrders(reader: Reader, orderIds: readonly string[], expiry: FileExpiry) {
  if (orderIds.length === 0) return [];
  return await selectFiles(reader, expiry)
    .where('bound_kind', '=', 'order')
    .where('bound_id', 'in', orderIds)
    .orderBy('bound_id')
    .orderBy('position')
    .execute();
}

const attachmentColumns = columnsOf('attachments').filter((column) => column !== 'cleaned_at');

// The cast is safe, because check constraints of the table allow only the values of the type.
function selectFiles(reader: Reader, { clock, terms }: FileExpiry) {
  const now = clock();
  const cleanedAt = sql`case when ${isExpiredSql(terms, now)} then ${now}::timestamptz else cleaned_at end`.as(
    'cleaned_at',
  );
  return reader.selectFrom('attachments').select(attachmentColumns).select(cleanedAt).$castTo<StoredAttachment>();
}
