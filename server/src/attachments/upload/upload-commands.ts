import { limits } from '@agent-platform/contract';
import type { IncomingFile, IncomingFolder } from '../../files/incoming-folder.ts';
import { FormBroken, type FormField, FormTooLarge, type ReceivedForm, receiveForm } from '../../files/receive-form.ts';
import { bodyTooLarge } from '../../platform/failure.ts';
import type { IncomingForm } from '../../platform/http/mount.ts';
import { Refusal } from '../../platform/refusal.ts';
import { cleanFileName, decideRepeat } from '../attachment.ts';
import { findUpload } from '../attachment-queries.ts';
import { shortageMessages } from '../quota.ts';
import { type ClaimParts, claimQuota, type QuotaClaim } from './quota-claim-commands.ts';
import { type CheckParts, checkAndStore, refuseBusy } from './upload-check-commands.ts';
import { findNames, findShapeFault, type UploadNames } from './upload-shape.ts';

/** The parts of uploads. */
export interface UploadParts extends ClaimParts, CheckParts {
  readonly incoming: IncomingFolder;
  /** 0: no limit. */
  readonly fileMaxBytes: number;
}

/** 1 TiB. A larger Content-Length could overflow the sum of reserved bytes. */
const trustedLengthMaxBytes = 2 ** 40;

/**
 * Receives an upload, reserves quota, checks and stores it (D-38). Quota is
 * claimed as soon as the fields are known, and every failure releases it; the
 * outcome of the claim is reported after faults of form and size. `isNew` is false
 * for a repeat of a finished upload.
 */
export async function upload(parts: UploadParts, ownerId: string, form: IncomingForm) {
  parts.inspectors.expect(ownerId);
  const incoming = await parts.incoming.open();
  if (incoming === undefined)
    throw refuseBusy('The maximum number of uploads is in progress. Send the upload again shortly.');
  // Without a limit for files, the announced length is reserved.
  const announcedBytes = Math.min(form.announcedBytes, trustedLengthMaxBytes);
  const fileMaxBytes = parts.fileMaxBytes || announcedBytes || limits.fileMaxBytes;
  const fields: FormField[] = [];
  let claim: QuotaClaim | undefined;
  let written: Promise<void> | undefined;
  const claimOnce = (names: UploadNames) => {
    claim ??= claimQuota(parts, ownerId, names, fileMaxBytes);
    return claim;
  };
  try {
    const received = await receive(parts, form, incoming, (field) => {
      fields.push(field);
      const names = findNames(fields);
      if (names !== undefined) claimOnce(names);
    });
    written = received.written;
    const arrived = readForm(received, parts.fileMaxBytes);
    const claimed = await claimOnce(arrived).settle();
    if (claimed.kind === 'known') return { file: await replay(parts, ownerId, arrived), isNew: false };
    if (claimed.kind === 'short') {
      const { code, whose } = claimed.shortage;
      throw new Refusal(code, shortageMessages[code][whose]);
    }
    return { file: await checkAndStore(parts, { id: claimed.id, ownerId, incoming, ...arrived }), isNew: true };
  } catch (error) {
    await claim?.release();
    throw error;
  } finally {
    claim?.end();
    await written?.catch(() => undefined);
    await incoming.discard();
  }
}

async function receive(
  { fileMaxBytes }: UploadParts,
  form: IncomingForm,
  incoming: IncomingFile,
  onField: (field: FormField) => void,
): Promise<ReceivedForm> {
  const bounds = { fileMaxBytes: fileMaxBytes || Number.POSITIVE_INFINITY, totalMaxBytes: form.maxBytes, partsMax: 3 };
  try {
    return await receiveForm(form.stream, form.contentType, incoming.file, bounds, onField);
  } catch (error) {
    if (error instanceof FormTooLarge) throw bodyTooLarge('The body', form.maxBytes);
    if (!(error instanceof FormBroken)) throw error;
    throw new Refusal('invalid_input', `The body is not a complete multipart form. ${error.message} Send it again.`);
  }
}

function readForm({ fields, file, hasSurplus, written }: ReceivedForm, fileMaxBytes: number) {
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

async function replay({ store }: UploadParts, ownerId: string, arrived: UploadNames & { readonly sha256: string }) {
  const known = await store.read((reader) => findUpload(reader, ownerId, arrived.uploadId));
  // A concurrent duplicate ended between the two statements; a repeat is then correct.
  if (known === undefined)
    throw new Refusal('upload_unavailable', 'The upload with this upload_id has just ended. Send it again.');
  const decision = decideRepeat({ ...known, isCleaned: known.cleaned_at !== null }, arrived);
  if (decision === 'replay') return known;
  const message =
    decision === 'idempotency_conflict'
      ? 'This upload_id belongs to a file with other bytes or another purpose. Send this file with a new upload_id.'
      : 'The upload with this upload_id is unfinished, was refused, or its file was removed. Send it with a new upload_id.';
  throw new Refusal(decision, message);
}
