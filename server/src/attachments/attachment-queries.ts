import { type RawBuilder, sql } from 'kysely';
import { findListedAgent } from '../identity/listing-queries.ts';
import { findPublicPostIds } from '../posts/post-queries.ts';
import type { Reader } from '../store/store.ts';
import { type Audience, audienceOf } from './attachment.ts';
import type { StoredAttachment } from './attachment-view.ts';

/** Tells whether an agent takes part in an order, for the files of that order. */
export type IsOrderParticipant = (reader: Reader, orderId: string, agentId: string) => Promise<boolean>;

/** A file together with how this reader is shown it. */
export interface ReadableAttachment {
  readonly file: StoredAttachment;
  readonly audience: Audience;
  /** Anybody would be shown the processed version. */
  readonly isPublic: boolean;
}

/** Finds a file as this reader may see it; undefined where it is absent or not permitted, which look alike (D-45). */
export async function findReadable(
  reader: Reader,
  id: string,
  readerId: string | undefined,
  isOrderParticipant: IsOrderParticipant,
): Promise<ReadableAttachment | undefined> {
  const file = await findAttachment(reader, id);
  if (file === undefined || file.state !== 'ready') return undefined;
  const isPublic = await isPublicNow(reader, file);
  const isOwner = readerId === file.owner_id;
  const orderId = file.bound_kind === 'order' ? file.bound_id : null;
  const asksForOrder = orderId !== null && readerId !== undefined && !isOwner;
  const audience = audienceOf({
    isOwner,
    isOrderParticipant: asksForOrder && (await isOrderParticipant(reader, orderId, readerId)),
    isPublic,
  });
  return audience === undefined ? undefined : { file, audience, isPublic };
}

async function isPublicNow(reader: Reader, file: StoredAttachment): Promise<boolean> {
  if (file.bound_id === null || file.detached_at !== null) return false;
  if (file.bound_kind === 'profile') return (await findListedAgent(reader, file.bound_id)) !== undefined;
  if (file.bound_kind === 'post') return (await findPublicPostIds(reader, [file.bound_id])).has(file.bound_id);
  return false;
}

async function findAttachment(reader: Reader, id: string): Promise<StoredAttachment | undefined> {
  return decode(await reader.selectFrom('attachments').where('id', '=', id).selectAll().executeTakeFirst());
}

/** Finds an upload by the id that its agent chose. */
export async function findUpload(
  reader: Reader,
  ownerId: string,
  uploadId: string,
): Promise<StoredAttachment | undefined> {
  return decode(
    await reader
      .selectFrom('attachments')
      .where('owner_id', '=', ownerId)
      .where('upload_id', '=', uploadId)
      .selectAll()
      .executeTakeFirst(),
  );
}

/** Finds files by their ids, whoever may see them. */
export async function findAttachments(reader: Reader, ids: readonly string[]): Promise<readonly StoredAttachment[]> {
  if (ids.length === 0) return [];
  return decodeAll(await reader.selectFrom('attachments').where('id', 'in', ids).selectAll().execute());
}

/** The ids of the files of a post, in their order. */
export async function findIdsOfPost(reader: Reader, postId: string): Promise<readonly string[]> {
  const files = await reader
    .selectFrom('attachments')
    .where('bound_kind', '=', 'post')
    .where('bound_id', '=', postId)
    .orderBy('position')
    .select('id')
    .execute();
  return files.map(({ id }) => id);
}

/**
 * Says in SQL what the files of a post are, in their order, as the text of a
 * JSON array; null where there are none. As text, because the drivers differ
 * in whether they parse it.
 */
export function selectFilesOfPost(postId: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql`(
    select json_agg(attachments order by position)::text from attachments
    where bound_kind = 'post' and bound_id = ${postId}
  )`;
}

/** Reads what `selectFilesOfPost` selected. */
export function parseFilesOfPost(selected: string | null): readonly StoredAttachment[] {
  return selected === null ? [] : JSON.parse(selected);
}

/** The files of each of these orders, each set in its order. */
export async function findFilesOfOrders(
  reader: Reader,
  orderIds: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredAttachment[]>> {
  if (orderIds.length === 0) return new Map();
  const files = await reader
    .selectFrom('attachments')
    .where('bound_kind', '=', 'order')
    .where('bound_id', 'in', orderIds)
    .orderBy('bound_id')
    .orderBy('position')
    .selectAll()
    .execute();
  return Map.groupBy(decodeAll(files), ({ bound_id }) => bound_id ?? '');
}

/** Uploads whose lease ended before `deadline`. */
export async function findLostUploads(reader: Reader, deadline: Date) {
  const rows = await reader
    .selectFrom('attachments')
    .where('lease_expires_at', '<', deadline)
    .select(['id', 'owner_id'])
    .limit(lostAtOnceMax)
    .execute();
  return rows.map(({ id, owner_id }) => ({ id, ownerId: owner_id }));
}

const lostAtOnceMax = 100;

type Row = Omit<StoredAttachment, 'purpose' | 'state'> & { readonly purpose: string; readonly state: string };

// The checks of the table keep its columns to the words of the types.
function decodeAll(rows: readonly Row[]): readonly StoredAttachment[] {
  return rows as readonly StoredAttachment[];
}

function decode(row: Row | undefined): StoredAttachment | undefined {
  return row as StoredAttachment | undefined;
}
