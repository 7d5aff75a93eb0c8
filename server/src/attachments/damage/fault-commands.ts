import { sql } from 'kysely';
import type { FileStorage } from '../../files/storage.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Store } from '../../store/store.ts';
import type { ReferencedFile } from '../attachment.ts';
import { attachmentIdOf, isOriginalKey } from '../file-keys.ts';
import { requireOwnStorage } from '../storage-claim-commands.ts';
import type { StoredFileFault } from './verify-files-queries.ts';

export interface FileFaultDependencies {
  readonly store: Store;
  readonly storage: FileStorage;
  /** Logs each change of a recorded fault. */
  readonly log: Logger;
}

/** Records the fault of a stored file, or its absence. Returns false if no record refers to the file any more. */
export async function recordFileFault(
  { store, storage, log }: FileFaultDependencies,
  { key }: Pick<ReferencedFile, 'key'>,
  finding: StoredFileFault | undefined,
): Promise<boolean> {
  // Checks the storage first: if it were the wrong one or unavailable, every file would be recorded as missing.
  if (finding?.fault === 'missing') await requireOwnStorage(store, storage);
  const fault = finding?.fault ?? null;
  const id = attachmentIdOf(key);
  const column = sql.ref(isOriginalKey(key) ? 'original_fault' : 'preview_fault');
  const { rows } = await store.transact((writer) =>
    sql<{ before: StoredFileFault['fault'] | null }>`
      with named as (
        select id, ${column} as fault from attachments where id = ${id} and state = 'ready' and cleaned_at is null
      ), changed as (
        update attachments set ${column} = ${fault} from named
        where attachments.id = named.id and named.fault is distinct from ${fault}
      )
      select fault as before from named`.execute(writer),
  );
  const [named] = rows;
  if (named !== undefined && named.before !== fault) {
    const about = { attachment_id: id, key };
    if (finding === undefined) log.info(about, 'a stored file is intact again');
    else log.error({ ...about, ...finding }, `a stored file is ${finding.fault}`);
  }
  return named !== undefined;
}
