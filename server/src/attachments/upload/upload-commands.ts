import { limits } from '@agent-platform/contract';
import type { IncomingFile, IncomingFolder } from '../../files/incoming-folder.ts';
import {
  type FormField,
  FormTooLargeError,
  MalformedFormError,
  type ReceivedForm,
  receiveForm,
} from '../../files/receive-form.ts';
import type { IndividualQuotas } from '../../identity/agent-quotas.ts';
import { bodyTooLargeRefusal } from '../../platform/failure.ts';
import type { UnreadForm } from '../../platform/http/mount.ts';
import { Refusal } from '../../platform/refusal.ts';
import { cleanFileName, decideRepeatedUpload } from '../attachment.ts';
import { findUpload } from '../attachment-queries.ts';
import type { FileExpiry } from '../file-expiry-queries.ts';
import { quotaShortageMessages } from '../quota.ts';
import type { UploadReservation, UploadReservations } from './reservation-lease-commands.ts';
import { checkAndStoreFile, type FileCheckDependencies } from './upload-check-commands.ts';
import type { AdmittedUpload, UploadQueue } from './upload-queue-commands.ts';
import { findUploadFields, findUploadFormFault, type UploadFields } from './upload-shape.ts';

export interface UploadDependencies extends FileExpiry, FileCheckDependencies {
  readonly queue: UploadQueue;
  readonly reservations: UploadReservations;
  readonly incoming: IncomingFolder;
  /** The size limit of a file; 0 means no limit. */
  readonly fileMaxBytes: number;
}

/** 1 TiB. With larger values of Content-Length, the sum of reserved bytes could overflow. */
const trustedLengthMaxBytes = 2 ** 40;

/** `purpose` and `upload_id` must arrive within this time, because quota can only be reserved after them. */
const namesWithinMs = 10_000;

/** The uploading agent, and the key that identifies its address for limits. */
interface Uploader {
  readonly ownerId: string;
  readonly own: IndividualQuotas;
  readonly address: string;
}

/**
 * Receives an upload, reserves quota, and checks and stores the file (§5.9). If the request repeats a finished upload,
 * `isNew` is false.
 */
export async function receiveUpload(parts: UploadDependencies, uploader: Uploader, form: UnreadForm) {
  const queued = await parts.queue.enter(uploader.ownerId, uploader.address);
  try {
    parts.inspectors.startExpected();
    return await receiveAndStore(parts, uploader, form, queued);
  } finally {
    queued.leave();
  }
}

// Reserves quota as soon as the fields are known, and releases it on every failure. Reports an exceeded quota only if
// the form is neither malformed nor oversized.
async function receiveAndStore(
  parts: UploadDependencies,
  uploader: Uploader,
  form: UnreadForm,
  queued: AdmittedUpload,
) {
  const { ownerId } = uploader;
  const incoming = await parts.incoming.open();
  // Without a file size limit, reserves the announced length.
  const announcedBytes = Math.min(form.announcedBytes, trustedLengthMaxBytes);
  const fileMaxBytes = parts.fileMaxBytes || announcedBytes || limits.fileMaxBytes;
  let reservation: UploadReservation | undefined;
  let written: Promise<void> | undefined;
  const reserveOnce = (names: UploadFields) => {
    reservation ??= parts.reservations.reserve(uploader, names, fileMaxBytes);
    return reservation;
  };
  try {
    const received = await receive(parts, form, incoming, queued, reserveOnce);
    written = received.written;
    const arrived = readForm(received, parts.fileMaxBytes);
    const claimed = await reserveOnce(arrived).settle();
    if (claimed.kind === 'known') return { file: await replay(parts, ownerId, arrived), isNew: false };
    if (claimed.kind === 'short') {
      const { code, whose } = claimed.shortage;
      throw new Refusal(code, quotaShortageMessages[code][whose]);
    }
    const claimedUpload = { id: claimed.id, ownerId, incoming, ...arrived, sentSha256: arrived.sha256 };
    return { file: await checkAndStoreFile(parts, claimedUpload, queued), isNew: true };
  } catch (error) {
    await reservation?.release();
    throw error;
  } finally {
    await reservation?.end();
    await written?.catch(() => undefined);
    await incoming.discard();
  }
}

/** Receives the form; aborts if the fields are late, or if another agent gets the upload's slot. */
async function receive(
  { fileMaxBytes }: UploadDependencies,
  form: UnreadForm,
  incoming: IncomingFile,
  queued: AdmittedUpload,
  onNames: (names: UploadFields) => void,
): Promise<ReceivedForm> {
  const late = setTimeout(() => queued.end(refuseLateNames()), namesWithinMs);
  const onField = (fields: readonly FormField[]) => {
    const names = findUploadFields(fields);
    if (names === undefined) return;
    clearTimeout(late);
    onNames(names);
  };
  const bounds = { fileMaxBytes: fileMaxBytes || Number.POSITIVE_INFINITY, totalMaxBytes: form.maxBytes, partsMax: 3 };
  try {
    return await receiveForm(form, incoming.file, bounds, onField, queued.signal);
  } catch (error) {
    if (error instanceof FormTooLargeError) throw bodyTooLargeRefusal('The body', form.maxBytes);
    if (!(error instanceof MalformedFormError)) throw error;
    throw new Refusal('invalid_input', `The body is not a complete multipart form. ${error.message} Send it again.`);
  } finally {
    clearTimeout(late);
  }
}

function refuseLateNames(): Refusal {
  const seconds = namesWithinMs / 1_000;
  return new Refusal(
    'request_timeout',
    `purpose and upload_id were not received within ${seconds} s. Send both fields before the file.`,
    { headers: { connection: 'close' } },
  );
}

function readForm({ fields, file, hasSurplus, written }: ReceivedForm, fileMaxBytes: number) {
  const fault = findUploadFormFault(fields, file, hasSurplus);
  if (fault !== undefined) {
    const { code, path, message } = fault;
    const details = [{ path, message }];
    throw new Refusal(code, `${path === '' ? 'The form' : path.slice(1)} ${message}.`, { details });
  }
  const names = findUploadFields(fields);
  if (names === undefined || file === undefined) throw new Error('The form is valid but lacks a field.');
  if (file.isOverLimit) throw bodyTooLargeRefusal('The file', fileMaxBytes);
  return { ...names, sha256: file.sha256, bytes: file.bytes, filename: cleanFileName(file.filename), written };
}

async function replay(parts: UploadDependencies, ownerId: string, arrived: UploadFields & { readonly sha256: string }) {
  const known = await parts.store.read((reader) => findUpload(reader, ownerId, arrived.uploadId, parts));
  // A concurrent duplicate ended between the two statements, so the client should repeat the request.
  if (known === undefined)
    throw new Refusal(
      'upload_unavailable',
      'A concurrent upload with this upload_id has just ended. Send the upload again.',
    );
  const decision = decideRepeatedUpload(
    { ...known, sha256: known.sent_sha256 ?? known.sha256, isCleaned: known.cleaned_at !== null },
    arrived,
  );
  if (decision === 'replay') return known;
  const message =
    decision === 'idempotency_conflict'
      ? 'This upload_id belongs to a file with other bytes or another purpose. Send this file with a new upload_id.'
      : 'The upload with this upload_id is unfinished or was refused, or its file was removed. Send it with a new upload_id.';
  throw new Refusal(decision, message);
}
