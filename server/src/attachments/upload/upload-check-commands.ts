import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { type AttachmentPurpose, limits } from '@agent-platform/contract';
import type { IncomingPlace } from '../../files/incoming-folder.ts';
import type { FileStorage } from '../../files/storage.ts';
import { InspectorUnavailable } from '../../inspection/inspector-process.ts';
import type { Inspectors } from '../../inspection/inspectors.ts';
import type { Verdict } from '../../inspection/verdict.ts';
import type { Clock } from '../../platform/clock.ts';
import { unavailable } from '../../platform/failure.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Store } from '../../store/store.ts';
import { acceptedTypes, isPortrait } from '../attachment.ts';
import type { StoredAttachment } from '../attachment-view.ts';
import { originalKey, previewKey } from '../file-keys.ts';
import { describeFault } from './file-fault.ts';
import { rejectUpload, takeCheckingPlace } from './reservation-commands.ts';
import { type FinishedFile, finishUpload } from './upload-finish-commands.ts';

/** What checking and storing a file works with. */
export interface CheckParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly storage: FileStorage;
  readonly inspectors: Inspectors;
  /** Files that are checked at the same time, on all instances together. */
  readonly checksMax: number;
}

/** An upload that has arrived whole and has its room. */
export interface ClaimedUpload {
  readonly id: string;
  readonly ownerId: string;
  readonly purpose: AttachmentPurpose;
  readonly sha256: string;
  readonly bytes: number;
  readonly filename: string;
  readonly place: IncomingPlace;
  /** Its last bytes may still be on their way to the disk. */
  readonly written: Promise<void>;
}

const busyRetrySeconds = 2;

/** The refusal of an upload that has to come again. */
export function refuseBusy(message: string): Refusal {
  return new Refusal('upload_busy', message, { retryAfterSeconds: busyRetrySeconds });
}

/** Checks the content of an upload and keeps it; a file that is refused leaves its record and nothing else. */
export async function checkAndKeep(parts: CheckParts, upload: ClaimedUpload): Promise<StoredAttachment> {
  const { store, clock, storage, inspectors, checksMax } = parts;
  const [hasPlace] = await Promise.all([
    store.transact((writer) => takeCheckingPlace(writer, upload.id, checksMax, clock())),
    upload.written,
  ]);
  if (!hasPlace) throw refuseBusy('As many files are being checked as can be. Send it again shortly.');
  const preparing = isPortrait(upload.purpose) ? undefined : storage.prepare(upload.place.file);
  // Waited for when the file is kept; until then its failure is nobody's.
  preparing?.catch(() => undefined);
  const verdict = await inspect(inspectors, upload);
  if (verdict.kind === 'refused') {
    await store.transact((writer) => rejectUpload(writer, upload.id, upload.ownerId));
    throw new Refusal('invalid_file', describeFault(verdict.fault));
  }
  await preparing;
  return await keep(parts, upload, verdict);
}

async function inspect(inspectors: Inspectors, { ownerId, purpose, place }: ClaimedUpload): Promise<Verdict> {
  const inspection = {
    file: place.file,
    preview: place.preview,
    accepts: acceptedTypes(purpose),
    imageMaxPixels: limits.imageMaxPixels,
    pdfMaxPages: limits.pdfMaxPages,
    previewMaxPixelsPerSide: limits.previewMaxPixelsPerSide,
    previewMaxBytes: limits.previewReserveBytes,
  };
  try {
    return await inspectors.inspect(inspection, ownerId);
  } catch (error) {
    throw error instanceof InspectorUnavailable ? unavailable(error) : error;
  }
}

type Accepted = Extract<Verdict, { kind: 'accepted' }>;

// First the bytes, then the row that makes them count: a crash in between
// leaves an upload that is given up, and its bytes with it.
async function keep({ store, storage }: CheckParts, upload: ClaimedUpload, verdict: Accepted) {
  const { id, ownerId, purpose, place } = upload;
  const [file] = await Promise.all([describeFile(upload, verdict), storage.prepare(place.preview)]);
  try {
    const originals = isPortrait(purpose) ? [] : [storage.put(originalKey(id), place.file)];
    await Promise.all([storage.put(previewKey(id), place.preview), ...originals]);
    const finished = await finishUpload(store, id, ownerId, file);
    if (finished !== undefined) return finished;
    throw new Refusal('upload_unavailable', 'The upload took too long and was given up. Send it with a new upload_id.');
  } catch (error) {
    // Nothing is removed that a commit whose answer was lost may have made a file.
    if (error instanceof Refusal) await Promise.all([storage.remove(previewKey(id)), storage.remove(originalKey(id))]);
    throw error;
  }
}

async function describeFile(upload: ClaimedUpload, verdict: Accepted): Promise<FinishedFile> {
  const { preview } = upload.place;
  // A preview is small, a mebibyte at most; the inspector has seen to it.
  if ((await stat(preview)).size > limits.previewReserveBytes)
    throw new Error('The inspector made too large a preview.');
  const bytes = await readFile(preview);
  return {
    sha256: upload.sha256,
    filename: upload.filename,
    media_type: verdict.mediaType,
    size_bytes: isPortrait(upload.purpose) ? null : upload.bytes,
    width: verdict.width,
    height: verdict.height,
    page_count: verdict.pageCount,
    preview_sha256: createHash('sha256').update(bytes).digest('hex'),
    preview_size_bytes: bytes.length,
    preview_width: verdict.preview.width,
    preview_height: verdict.preview.height,
  };
}
