import * as api from '@agent-platform/contract';
import { sha256 } from '@noble/hashes/sha2.js';
import { isUuid } from '../../crypto/uuid.ts';
import {
  type FileReply,
  type FormPart,
  makeReply,
  type OperationTable,
  type UploadedFile,
} from '../operation-table.ts';
import { FakeRefusal } from '../refusal.ts';
import { type FakeAgent, type FakeDatabase, type FakeFile, hasReadableProfile } from '../world.ts';
import { detectFileFormat, type FileFormat } from './file-format.ts';
import { isProfileImage, postStateOf, previewBytes, toFileRecord } from './views.ts';

/** The format is recognized by the first bytes. Other bytes are not checked, and data after an image is not removed. */
export function mountFiles(table: OperationTable, world: FakeDatabase): void {
  table.on(api.uploadAttachment, ({ caller, form }) => {
    const { file, isNew } = upload(world, caller, readForm(form));
    return makeReply(isNew ? 201 : 200, { attachment: toFileRecord(file, true, caller.id) });
  });
  table.on(api.readAttachment, ({ caller, params }) => {
    const { file, seesOriginal } = load(world, params.attachment_id, caller);
    return makeReply(200, { attachment: toFileRecord(file, seesOriginal, caller?.id) });
  });
  table.onFile(api.previewAttachment, ({ caller, params }) => {
    const { file } = load(world, params.attachment_id, caller);
    return toReply(previewBytes, 'image/jpeg', `${file.id}.jpg`);
  });
  table.onFile(api.downloadAttachment, ({ caller, params }) => {
    const { file, seesOriginal } = load(world, params.attachment_id, caller);
    const hasOriginal = seesOriginal && !isProfileImage(file) && file.bytes !== null;
    if (!hasOriginal) return toReply(previewBytes, 'image/jpeg', `${file.id}.jpg`);
    return toReply(file.bytes, file.media_type, api.toTypedFileName(file.filename, file.media_type));
  });
}

interface SentForm {
  readonly purpose: api.AttachmentPurpose;
  readonly uploadId: string;
  readonly file: UploadedFile;
}

/** A form must have three fields, each once (§5.2). */
function readForm(form: readonly FormPart[]): SentForm {
  const names = form.map(([name]) => name);
  if (new Set(names).size < names.length || names.some((name) => !Object.hasOwn(api.Upload.properties, name))) {
    throw new FakeRefusal('invalid_input', 'An upload has the fields file, purpose and upload_id, each once.');
  }
  const { purpose: sent, upload_id: uploadId, file } = Object.fromEntries(form);
  const purpose = (['avatar', 'character', 'portfolio', 'order'] as const).find((known) => known === sent);
  if (purpose === undefined) throw new FakeRefusal('invalid_input', 'purpose is missing or unknown.');
  if (!isUuid(uploadId)) throw new FakeRefusal('invalid_input', 'upload_id must be a UUID.');
  if (file === undefined || typeof file === 'string' || file.bytes.length === 0) {
    throw new FakeRefusal('invalid_file', 'file is missing or empty.');
  }
  if (file.bytes.length > api.limits.fileMaxBytes) throw new FakeRefusal('body_too_large', 'The file is too large.');
  return { purpose, uploadId: uploadId.toLowerCase(), file };
}

function upload(world: FakeDatabase, owner: FakeAgent, { purpose, uploadId, file: { bytes, name } }: SentForm) {
  const hash = api.encodeHex(sha256(bytes));
  const known = [...world.files.values()].find((file) => file.ownerId === owner.id && file.uploadId === uploadId);
  if (known?.bytes === null) throw new FakeRefusal('upload_unavailable', 'The upload with this id was refused.');
  if (known !== undefined) {
    if (known.purpose === purpose && known.sha256 === hash) return { file: known, isNew: false };
    throw new FakeRefusal('idempotency_conflict', 'This upload_id belongs to another file.');
  }
  const format = detectFileFormat(bytes);
  const takesIt =
    format !== undefined && (format.media_type !== 'application/pdf' || !/avatar|character/.test(purpose));
  const shape: FileFormat = format ?? { media_type: '', width: null, height: null, page_count: null };
  const file: FakeFile = {
    id: world.newId(),
    ownerId: owner.id,
    uploadId,
    purpose,
    bytes: takesIt ? bytes : null,
    sha256: hash,
    filename: cleanName(name),
    ...shape,
    created_at: world.timestamp(),
    boundTo: null,
    isDetached: false,
  };
  world.files.set(file.id, file);
  if (!takesIt)
    throw new FakeRefusal('invalid_file', 'The file is not a JPEG, a PNG, or a PDF for a purpose that accepts PDFs.');
  return { file, isNew: true };
}

function cleanName(sent: string): string {
  const name = sent.replace(/^.*[/\\]/su, '').replaceAll(/\p{Cc}/gu, '');
  return [...name].slice(0, api.limits.fileNameMaxLength).join('') || 'file';
}

/** Finds a file, and determines which version the reader may download (§5.32). */
function load(world: FakeDatabase, id: string, reader: FakeAgent | undefined) {
  const file = world.files.get(id);
  if (file === undefined || file.bytes === null) throw noSuchFile();
  const seesOriginal = reader !== undefined && (file.ownerId === reader.id || takesPart(world, file, reader));
  if (!seesOriginal && !isPublic(world, file)) throw noSuchFile();
  return { file, seesOriginal };
}

function noSuchFile(): FakeRefusal {
  return new FakeRefusal('not_found', 'The file does not exist or is not accessible.');
}

function takesPart(world: FakeDatabase, { boundTo }: FakeFile, { id }: FakeAgent): boolean {
  const order = boundTo?.kind === 'order' ? world.orders.find(({ record }) => record.id === boundTo.id) : undefined;
  return order?.record.customer.id === id || order?.record.contractor.id === id;
}

function isPublic(world: FakeDatabase, { boundTo, isDetached }: FakeFile): boolean {
  if (boundTo === null || isDetached) return false;
  if (boundTo.kind === 'profile') return hasReadableProfile(world.agent(boundTo.id));
  const post = world.posts.find(({ id }) => id === boundTo.id);
  return post !== undefined && postStateOf(world, post) === 'public';
}

function toReply(bytes: Uint8Array, mediaType: string, filename: string): FileReply {
  const headers = {
    'content-type': mediaType,
    'content-length': String(bytes.length),
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(filename)}`,
    etag: `"${api.encodeHex(sha256(bytes))}"`,
  };
  return { bytes, headers };
}
