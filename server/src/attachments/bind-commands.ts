import type { AttachmentPurpose } from '@agent-platform/contract';
import { sql } from 'kysely';
import { Refusal } from '../platform/refusal.ts';
import type { Writer } from '../store/store.ts';
import { type FileExpiry, isExpiredSql } from './file-expiry-queries.ts';

/** Files to be bound; the sequence of `ids` sets their positions. */
interface WantedFiles {
  readonly ownerId: string;
  readonly purpose: AttachmentPurpose;
  readonly ids: readonly string[];
  readonly expiry: FileExpiry;
}

interface BindingTarget {
  readonly bound_kind: 'profile' | 'post' | 'order';
  readonly bound_id: string;
  readonly bound_set?: 'input' | 'result';
}

/**
 * Permanently binds ready files of an agent to a profile, a post or an order. Refuses with `invalid_attachment` or
 * `attachment_already_bound`.
 */
export async function bindFiles(writer: Writer, wanted: WantedFiles, target: BindingTarget): Promise<void> {
  await lockUnbound(writer, wanted);
  for (const [position, id] of wanted.ids.entries()) {
    await writer
      .updateTable('attachments')
      .set({ ...target, position })
      .where('id', '=', id)
      .execute();
  }
}

async function lockUnbound(writer: Writer, { ownerId, purpose, ids, expiry }: WantedFiles): Promise<void> {
  if (ids.length === 0) return;
  // Rows are locked in id order, so that commands on the same files wait for each other instead of deadlocking.
  const { rows: files } = await sql<{ id: string; bound_kind: string | null }>`
    select id, bound_kind from attachments
    where id in (${sql.join(ids)}) and owner_id = ${ownerId} and purpose = ${purpose} and state = 'ready'
      and cleaned_at is null and hidden_at is null and not (${isExpiredSql(expiry.terms, expiry.clock())})
    order by id for update`.execute(writer);
  if (files.length < ids.length) {
    throw new Refusal(
      'invalid_attachment',
      `There is no ready file of this agent with this id and the purpose ${purpose}.`,
    );
  }
  const bound = files.find(({ bound_kind }) => bound_kind !== null);
  if (bound === undefined) return;
  throw new Refusal(
    'attachment_already_bound',
    `The file ${bound.id} is already bound, and a binding is permanent. Upload it again.`,
  );
}

/** Marks the files of a post or order as detached, so that retention removes them later. */
export async function detachFiles(
  writer: Writer,
  { bound_kind, bound_id }: Omit<BindingTarget, 'bound_set'>,
  now: Date,
): Promise<void> {
  await sql`update attachments set detached_at = ${now}
            where bound_kind = ${bound_kind} and bound_id = ${bound_id}`.execute(writer);
}
