import { limits } from '@agent-platform/contract';
import type { IncomingFolder, IncomingPlace } from '../../files/incoming-folder.ts';
import { FormBroken, type FormField, FormTooLarge, type ReceivedForm, receiveForm } from '../../files/receive-form.ts';
import { bodyTooLarge } from '../../platform/failure.ts';
import type { IncomingForm } from '../../platform/http/mount.ts';
import { Refusal } from '../../platform/refusal.ts';
import { cleanFileName, decideRepeat } from '../attachment.ts';
import { findUpload } from '../attachment-queries.ts';
import type { StoredAttachment } from '../attachment-view.ts';
import { type Shortage, shortageMessages } from './quota.ts';
import { type CheckParts, checkAndKeep, refuseBusy } from './upload-check-commands.ts';
import { type ClaimParts, claimRoom, type RoomClaim } from './upload-claim-commands.ts';
import { findNames, findShapeFault, type UploadNames } from './upload-shape.ts';

/** What uploading works with. */
export interface UploadParts extends ClaimParts, CheckParts {
  readonly incoming: IncomingFolder;
  /** 0: no limit. */
  readonly fileMaxBytes: number;
}

/** A file after its upload. */
export interface Uploaded {
  readonly file: StoredAttachment;
  /** False when the upload had been finished before. */
  readonly isNew: boolean;
}

interface ArrivedUpload extends UploadNames {
  readonly sha256: string;
  readonly bytes: number;
  readonly filename: string;
  readonly written: Promise<void>;
}

/** 1 TiB. Whoever announces more could make the sum of what is reserved too large to be counted. */
const believedMaxBytes = 2 ** 40;

/**
 * Takes an upload in: receives, reserves, checks and keeps it (D-38). Room is
 * claimed as soon as the fields have said what comes, and whatever fails gives
 * it back; what became of the claim is told after form and size are judged.
 */
export async function upload(parts: UploadParts, ownerId: string, form: IncomingForm): Promise<Uploaded> {
  parts.inspectors.expect(ownerId);
  const place = await parts.incoming.place();
  if (place === undefined) throw refuseBusy('As many files are arriving as can be. Send it again shortly.');
  // Without a limit for files, what the client announces is reserved.
  const announcedBytes = Math.min(form.announcedBytes, believedMaxBytes);
  const fileMaxBytes = parts.fileMaxBytes || announcedBytes || limits.fileMaxBytes;
  const fields: FormField[] = [];
  let claim: RoomClaim | undefined;
  let written: Promise<void> | undefined;
  const claimFor = (names: UploadNames) => {
    claim ??= claimRoom(parts, ownerId, names, fileMaxBytes);
    return claim;
  };
  try {
    const received = await receive(parts, form, place, (field) => {
      fields.push(field);
      const names = findNames(fields);
      if (names !== undefined) claimFor(names);
    });
    written = received.written;
    const arrived = readForm(received, parts.fileMaxBytes);
    return await admit(parts, ownerId, arrived, place, claimFor(arrived));
  } catch (error) {
    await claim?.release();
    throw error;
  } finally {
    claim?.end();
    await written?.catch(() => undefined);
    await place.discard();
  }
}

async function receive(
  { fileMaxBytes }: UploadParts,
  form: IncomingForm,
  place: IncomingPlace,
  onField: (field: FormField) => void,
): Promise<ReceivedForm> {
  const bounds = {
    fileMaxBytes: fileMaxBytes || Number.POSITIVE_INFINITY,
    totalMaxBytes: form.maxBytes,
    partsMax: 3,
  };
  try {
    return await receiveForm(form.stream, form.contentType, place.file, bounds, onField);
  } catch (error) {
    if (error instanceof FormTooLarge) throw bodyTooLarge('The body', form.maxBytes);
    if (!(error instanceof FormBroken)) throw error;
    throw new Refusal('invalid_input', `The body is not a whole multipart form. ${error.message} Send it again.`);
  }
}

function readForm({ fields, file, hasSurplus, written }: ReceivedForm, fileMaxBytes: number): ArrivedUpload {
  const fault = findShapeFault(fields, file, hasSurplus);
  if (fault !== undefined) {
    const { code, path, message } = fault;
    const details = [{ path, message }];
    throw new Refusal(code, `${path === '' ? 'The form' : path.slice(1)} ${message}.`, { details });
  }
  const names = findNames(fields);
  if (names === undefined || file === undefined) throw new Error('A form without a fault has its three fields.');
  if (file.isOverLimit) throw bodyTooLarge('The file', fileMaxBytes);
  return { ...names, sha256: file.sha256, bytes: file.bytes, filename: cleanFileName(file.filename), written };
}

async function admit(
  parts: UploadParts,
  ownerId: string,
  arrived: ArrivedUpload,
  place: IncomingPlace,
  claim: RoomClaim,
): Promise<Uploaded> {
  const claimed = await claim.settle();
  if (claimed.kind === 'short') throw refuseRoom(claimed.shortage);
  if (claimed.kind === 'known') return { file: await replay(parts, ownerId, arrived), isNew: false };
  return { file: await checkAndKeep(parts, { id: claimed.id, ownerId, place, ...arrived }), isNew: true };
}

async function replay(parts: UploadParts, ownerId: string, arrived: ArrivedUpload): Promise<StoredAttachment> {
  const known = await load(parts, ownerId, arrived);
  const decision = decideRepeat({ ...known, isCleaned: known.cleaned_at !== null }, arrived);
  if (decision === 'replay') return known;
  const message =
    decision === 'idempotency_conflict'
      ? 'This upload_id belongs to a file with other bytes or another purpose. Send this one with a new upload_id.'
      : 'The upload with this upload_id is unfinished, was refused, or its file is gone. Send it with a new upload_id.';
  throw new Refusal(decision, message);
}

async function load({ store }: UploadParts, ownerId: string, { uploadId }: UploadNames): Promise<StoredAttachment> {
  const file = await store.read((reader) => findUpload(reader, ownerId, uploadId));
  // Its twin gave up between two looks; to send it again is then right.
  if (file === undefined)
    throw new Refusal('upload_unavailable', 'The upload with this upload_id has just ended. Send it again.');
  return file;
}

function refuseRoom({ code, whose }: Shortage): Refusal {
  return new Refusal(code, shortageMessages[code][whose]);
}
