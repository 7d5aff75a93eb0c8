import { prepareText } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { StoredAttachment } from '../attachment-view.ts';

/** What a finished file is, to be written into its row. */
export interface FinishedFile {
  readonly sha256: string;
  readonly filename: string;
  readonly media_type: string;
  /** Null where only the processed version is kept. */
  readonly size_bytes: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly page_count: number | null;
  readonly preview_sha256: string;
  readonly preview_size_bytes: number;
  readonly preview_width: number;
  readonly preview_height: number;
}

/** Makes a checked upload a file, and returns it. Undefined when its lease has run out and it was given up meanwhile. */
export async function finishUpload(
  store: Store,
  id: string,
  ownerId: string,
  file: FinishedFile,
): Promise<StoredAttachment | undefined> {
  const [finished] = await store.run(finishing, [
    id,
    ownerId,
    (file.size_bytes ?? 0) + file.preview_size_bytes,
    file.sha256,
    file.filename,
    file.media_type,
    file.size_bytes,
    file.width,
    file.height,
    file.page_count,
    file.preview_sha256,
    file.preview_size_bytes,
    file.preview_width,
    file.preview_height,
  ]);
  return finished;
}

// One statement, because whoever uploads waits for it. It locks in the order of
// all commands here: the agent's row of what is in use, everybody's, then the
// upload. Each step counts or reads the one before it, which is thereby done
// first, and a row that somebody changed while it was waited for is read anew.
const finishing = prepareText<StoredAttachment>(
  'finish-upload',
  `with used as materialized (
     select key from file_usage where key in ($2::text, 'all') order by key = 'all' for update
   ), reservation as materialized (
     select id, reserved_bytes from attachments
     where id = $1::uuid and state in ('receiving', 'checking') and (select count(*) from used) = 2
     for update
   ), given_back as (
     update file_usage set bytes = bytes + $3::bigint - reserved_bytes
     from reservation where key in ($2::text, 'all')
   )
   update attachments set
     state = 'ready', reserved_bytes = 0, lease_expires_at = null,
     sha256 = $4, filename = $5, media_type = $6, size_bytes = $7, width = $8, height = $9, page_count = $10,
     preview_sha256 = $11, preview_size_bytes = $12, preview_width = $13, preview_height = $14
   from reservation where attachments.id = reservation.id
   returning attachments.id, owner_id, upload_id, purpose, state, sha256, filename, media_type, size_bytes, width,
     height, page_count, preview_sha256, preview_size_bytes, preview_width, preview_height, bound_kind, bound_id,
     bound_set, detached_at, created_at, cleaned_at`,
);
