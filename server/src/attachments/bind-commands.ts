import type { AttachmentPurpose } from '@agent-platform/contract';
import { Refusal } from '../platform/refusal.ts';
import type { Writer } from '../store/store.ts';

/** Files that are to be bound. */
export interface Wanted {
  readonly ownerId: string;
  readonly purpose: AttachmentPurpose;
  readonly ids: readonly string[];
}

/**
 * Locks files of an agent that are ready and free to be bound. Refuses with
 * `invalid_attachment` or `attachment_already_bound`.
 */
export async function lockFree(writer: Writer, { ownerId, purpose, ids }: Wanted): Promise<void> {
  if (ids.length === 0) return;
  // In the order of ids, so that two commands with the same files meet without a deadlock.
  const files = await writer
    .selectFrom('attachments')
    .where('id', 'in', ids)
    .where('owner_id', '=', ownerId)
    .where('purpose', '=', purpose)
    .where('state', '=', 'ready')
    .where('cleaned_at', 'is', null)
    .orderBy('id')
    .select(['id', 'bound_kind'])
    .forUpdate()
    .execute();
  if (files.length < ids.length) {
    throw new Refusal('invalid_attachment', `There is no such ready file of yours with the purpose ${purpose}.`);
  }
  const bound = files.find(({ bound_kind }) => bound_kind !== null);
  if (bound === undefined) return;
  throw new Refusal(
    'attachment_already_bound',
    `The file ${bound.id} was bound before, and a file is bound once for ever. Upload it again.`,
  );
}

/** Binds a locked file to one thing, once and for ever. */
export async function bindTo(
  writer: Writer,
  id: string,
  place: {
    readonly bound_kind: string;
    readonly bound_id: string;
    readonly position: number;
    readonly bound_set?: string;
  },
): Promise<void> {
  await writer.updateTable('attachments').set(place).where('id', '=', id).execute();
}
