import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type AttachmentPurpose, limits } from '@agent-platform/contract';
import type { IncomingFile } from '../../files/incoming-folder.ts';
import type { FileStorage } from '../../files/storage.ts';
import { InspectorTimeout, InspectorUnavailable } from '../../inspection/inspector-process.ts';
import type { InspectorPool, ShortInspectionLimits } from '../../inspection/inspectors.ts';
import type { AcceptedVerdict, FileVerdict } from '../../inspection/parse-verdict.ts';
import type { FileFaultCode } from '../../inspection/verdict.ts';
import type { Clock } from '../../platform/clock.ts';
import { sha256 } from '../../platform/crypto.ts';
import { unavailableRefusal } from '../../platform/failure.ts';
import type { RequestTracer } from '../../platform/instruments.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Store } from '../../store/store.ts';
import { isAvatarOrCharacter, listAcceptedTypes } from '../attachment.ts';
import type { StoredAttachment } from '../attachment-view.ts';
import { originalKey, previewKey, storageKeysOf } from '../file-keys.ts';
import { abandonStoredUpload, type FinishedFile, finishUpload, rejectUpload } from './reservation-commands.ts';
import { type AdmittedUpload, uploadBusyRefusal } from './upload-queue-commands.ts';

export interface FileCheckDependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly storage: FileStorage;
  readonly inspectors: InspectorPool;
  readonly tracing?: RequestTracer | undefined;
}

interface ClaimedUpload {
  readonly id: string;
  readonly ownerId: string;
  readonly purpose: AttachmentPurpose;
  readonly sha256: string;
  /** The SHA-256 of the bytes as the client sent them. */
  readonly sentSha256: string;
  readonly bytes: number;
  readonly filename: string;
  readonly incoming: IncomingFile;
  /** Resolves when the last bytes are on disk. */
  readonly written: Promise<void>;
}

/** Checks an upload's content in a checking slot and stores the file. If the file is refused, keeps only its record. */
export async function checkAndStoreFile(
  parts: FileCheckDependencies,
  upload: ClaimedUpload,
  queued: AdmittedUpload,
): Promise<StoredAttachment> {
  return await queued.check(upload.id, async (brief) => {
    await upload.written;
    const preparing = isAvatarOrCharacter(upload.purpose) ? undefined : parts.storage.prepare(upload.incoming.file);
    // The promise is awaited below; this catch only prevents an unhandled rejection.
    preparing?.catch(() => undefined);
    const inspected = () => inspect(parts.inspectors, upload, brief);
    const verdict = await (parts.tracing === undefined ? inspected() : parts.tracing.run('upload check', inspected));
    if (verdict.kind === 'refused') {
      await parts.store.transact((writer) => rejectUpload(writer, upload.id, upload.ownerId));
      throw new Refusal('invalid_file', faultMessages[verdict.fault]);
    }
    await preparing;
    return await storeFile(parts, await dropTrailer(parts, upload, verdict), verdict);
  });
}

const faultMessages: Readonly<Record<FileFaultCode, string>> = {
  unknown_format: 'The content of the file is neither JPEG nor PNG nor PDF. Convert it to one of these formats.',
  format_not_for_purpose: 'An avatar or character image must be JPEG or PNG. Convert the file.',
  broken: 'The file is damaged, incomplete or of another type than declared. Export it again.',
  animated: 'The image has more than one frame. Send a still image.',
  too_many_pixels: 'The image has over 20 million pixels. Scale it down.',
  too_many_pages: 'The PDF has over 200 pages. Split it.',
  encrypted: 'The PDF is encrypted, possibly with an empty password. Save it without protection.',
  active: 'The PDF has scripts, actions, active forms or media. Print it to a plain PDF.',
  external: 'The PDF refers to content of other files. Print it to a plain PDF.',
  embedded: 'The PDF contains embedded files. Print it to a plain PDF.',
  too_costly: 'The file exceeds the time or memory limit of the check. Simplify it.',
};

async function inspect(
  inspectors: InspectorPool,
  { ownerId, purpose, bytes: fileBytes, incoming }: ClaimedUpload,
  brief: ShortInspectionLimits | undefined,
): Promise<FileVerdict> {
  const { imageMaxPixels, pdfMaxPages, previewMaxPixelsPerSide, previewReserveBytes: previewMaxBytes } = limits;
  const bounds = { imageMaxPixels, pdfMaxPages, previewMaxPixelsPerSide, previewMaxBytes };
  const { file } = incoming;
  try {
    return await inspectors.inspect(
      { file, fileBytes, accepts: listAcceptedTypes(purpose), ...bounds },
      ownerId,
      brief,
    );
  } catch (error) {
    if (error instanceof InspectorUnavailable) throw unavailableRefusal(error);
    if (error instanceof InspectorTimeout)
      throw uploadBusyRefusal('The server is too busy to check the file. Send it again.', 10);
    throw error;
  }
}

// Data after the end of an image is not stored (§5.17).
async function dropTrailer({ storage }: FileCheckDependencies, upload: ClaimedUpload, { keptBytes }: AcceptedVerdict) {
  const { file } = upload.incoming;
  if (keptBytes === upload.bytes) return upload;
  await truncate(file, keptBytes);
  await storage.prepare(file);
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return { ...upload, bytes: keptBytes, sha256: hash.digest('hex') };
}

// Stores the bytes first, then changes the row to a file: if the process ends in between, the upload is abandoned and
// its bytes are removed.
async function storeFile(
  { store, storage, clock }: FileCheckDependencies,
  upload: ClaimedUpload,
  verdict: AcceptedVerdict,
) {
  const { id, ownerId, purpose, incoming } = upload;
  await writeFile(incoming.preview, verdict.preview.jpeg, { flag: 'wx', mode: 0o600 });
  await storage.prepare(incoming.preview);
  const file = describeFile(upload, verdict);
  try {
    const originals = isAvatarOrCharacter(purpose) ? [] : [storage.put(originalKey(id), incoming.file)];
    const puts = await Promise.allSettled([storage.put(previewKey(id), incoming.preview), ...originals]);
    // Waits for all puts before it throws, so that the files are not discarded while a put reads them.
    for (const put of puts) if (put.status === 'rejected') throw put.reason;
    const finished = await finishUpload(store, id, ownerId, file);
    if (finished !== undefined) return finished;
    throw new Refusal('upload_unavailable', 'The upload timed out. Send it again with a new upload_id.');
  } catch (error) {
    // After any other error, the commit may have succeeded, so the bytes may belong to a file, or a put may still take
    // effect.
    if (error instanceof Refusal) await Promise.all(storageKeysOf(id).map((key) => storage.remove(key)));
    else await store.transact((writer) => abandonStoredUpload(writer, id, ownerId, clock()));
    throw error;
  }
}

function describeFile(upload: ClaimedUpload, verdict: AcceptedVerdict): FinishedFile {
  const { jpeg, width, height } = verdict.preview;
  return {
    sha256: upload.sha256,
    sent_sha256: upload.sentSha256,
    filename: upload.filename,
    media_type: verdict.mediaType,
    size_bytes: isAvatarOrCharacter(upload.purpose) ? null : upload.bytes,
    width: verdict.width,
    height: verdict.height,
    page_count: verdict.pageCount,
    preview_sha256: sha256(jpeg),
    preview_size_bytes: jpeg.length,
    preview_width: width,
    preview_height: height,
  };
}
