import { sql } from 'kysely';
import { lowestId } from '../platform/crypto.ts';
import { toSafeInteger } from '../store/decode.ts';
import { transactUnderLock } from '../store/postgres/advisory-locks.ts';
import type { Store, Writer } from '../store/store.ts';
import { addFileUsage, lockUsageRows } from './usage-commands.ts';

const batchMax = 200;

/**
 * Marks all files of an erased agent as removed, whether bound or not, and ends the agent's uploads. The records stay
 * without file names, because orders refer to them; `removeFileBytes` removes the bytes.
 */
export async function eraseFiles(store: Store, ownerId: string, now: Date): Promise<void> {
  for (let after: string | undefined = lowestId; after !== undefined; ) {
    const bound: string = after;
    after = await transactUnderLock(store, 'retention', (writer) => eraseBatch(writer, ownerId, bound, now));
  }
}

async function eraseBatch(writer: Writer, ownerId: string, after: string, now: Date): Promise<string | undefined> {
  await lockUsageRows(writer, [ownerId]);
  const { rows } = await sql<ErasedFile>`
    with wanted as (
      select id, upload_id, state, cleaned_at is null as counts, reserved_bytes,
             coalesce(size_bytes, 0) + coalesce(preview_size_bytes, 0) as bytes
      from attachments where owner_id = ${ownerId} and upload_id > ${after}
      order by upload_id limit ${batchMax} for update
    )
    update attachments set
      state = case when wanted.state in ('receiving', 'checking') then 'abandoned' else wanted.state end,
      cleaned_at = coalesce(cleaned_at, ${now}), reserved_bytes = 0, lease_expires_at = null, filename = null,
      sent_sha256 = null, sha256 = case when bound_kind = 'order' then sha256 end,
      preview_sha256 = case when bound_kind = 'order' then preview_sha256 end
    from wanted where attachments.id = wanted.id
    returning wanted.upload_id, wanted.state, wanted.counts, wanted.reserved_bytes, wanted.bytes`.execute(writer);
  const stored = rows.filter(({ state, counts }) => state === 'ready' && counts);
  const underWay = rows.filter(({ state }) => state === 'receiving' || state === 'checking');
  const bytes =
    stored.reduce((sum, file) => sum + toSafeInteger(file.bytes), 0) +
    underWay.reduce((sum, file) => sum + toSafeInteger(file.reserved_bytes), 0);
  await addFileUsage(writer, ownerId, { files: -(stored.length + underWay.length), bytes: -bytes, records: 0 });
  return rows.length < batchMax
    ? undefined
    : rows
        .map(({ upload_id }) => upload_id)
        .toSorted()
        .at(-1);
}

interface ErasedFile {
  readonly upload_id: string;
  readonly state: string;
  readonly counts: boolean;
  readonly reserved_bytes: number | string;
  readonly bytes: number | string;
}
