import { createHash } from 'node:crypto';
import { inspect } from '../formats/inspect.ts';
import { mosaicJpeg } from '../formats/jpeg.ts';
import { readMultipart } from '../formats/multipart.ts';
import { dayMs, type Journal, type Records, type Stored } from './journal.ts';
import type { Asked, Told } from './serve.ts';
import { Denied, id, isOneOf } from './shape.ts';

/** The smallest processed picture that there is. */
const preview = mosaicJpeg({ width: 1, height: 1 }, () => 128);
const mebibyte = 2 ** 20;

export const isShown = (journal: Journal, post: Stored<'post'>) =>
  !post.deleted && post.visibility === 'public' && journal.one('bot', post.author)?.profile_public === true;

function isThere(journal: Journal, { rejected, released, boundTo, since, lastAt }: Stored<'upload'>): boolean {
  if (rejected) return false;
  if (boundTo === '') return journal.now() < since + dayMs;
  return !released || journal.now() < lastAt + 30 * dayMs;
}

export function attachmentOf(journal: Journal, upload: Stored<'upload'>, host: string) {
  const available = isThere(journal, upload);
  const url = (part: string) => (available ? `http://${host}/api/v1/attachments/${upload.id}/${part}` : null);
  return {
    available,
    download_url: url('download'),
    preview_url: url('preview'),
    purpose: upload.purpose,
    id: upload.id,
  };
}

export const attachmentsOf = (journal: Journal, ids: readonly string[], host: string) =>
  ids.map((one) => journal.one('upload', one)).flatMap((upload) => (upload ? attachmentOf(journal, upload, host) : []));

/** Checks files for a use; the answer binds them. */
export function claimFiles(
  journal: Journal,
  owner: string,
  ids: readonly string[],
  purpose: string,
  use: string,
): () => void {
  for (const one of ids) {
    const upload = journal.one('upload', one.toUpperCase());
    if (upload?.owner !== owner || upload.purpose !== purpose || !isThere(journal, upload))
      throw new Denied('invalid_attachment');
    if (upload.boundTo !== '') throw new Denied('attachment_already_bound');
  }
  return () => {
    for (const one of ids) journal.change('upload', one.toUpperCase(), { boundTo: use });
  };
}

export function release(journal: Journal, ids: readonly string[]): void {
  for (const one of ids) journal.change('upload', one, { released: true });
}

function readForm({ headers, bytes }: Asked) {
  const parts = readMultipart(headers['content-type'], bytes);
  if (parts === undefined)
    throw new Denied(/^multipart/i.test(headers['content-type'] ?? '') ? 'invalid_input' : 'media_type');
  const names = parts
    .map((part) => part.name)
    .toSorted()
    .join();
  if (names !== 'file,purpose,upload_id') throw new Denied('invalid_input');
  const [file, purpose, uploadId] = ['file', 'purpose', 'upload_id'].map(
    (name) => parts.find((part) => part.name === name)?.bytes,
  );
  if (file === undefined || !isOneOf('avatar', 'character', 'portfolio', 'order')(String(purpose)))
    throw new Denied('invalid_input');
  if (file.length === 0) throw new Denied('invalid_file');
  if (file.length > 20 * mebibyte) throw new Denied('size');
  return { file, purpose: String(purpose), uploadId: id(String(uploadId), 'invalid_input') };
}

export function takeUpload(asked: Asked): Told {
  const { journal, me, host } = asked;
  const { file, purpose, uploadId } = readForm(asked);
  const digest = createHash('sha256').update(file).digest('base64');
  const mine = journal.all('upload').filter(({ owner }) => owner === me);
  const before = mine.find((upload) => upload.uploadId === uploadId);
  if (before !== undefined) {
    if (before.rejected) throw new Denied('upload_unavailable');
    if (before.digest !== digest || before.purpose !== purpose) throw new Denied('idempotency_conflict');
    return [200, { attachment: attachmentOf(journal, before, host) }];
  }
  const there = mine.filter((upload) => isThere(journal, upload));
  if (mine.length >= 1000) throw new Denied('storage_record_limit');
  const used = there.reduce((sum, { bytes }) => sum + bytes.length + preview.length, 0);
  if (there.length >= 100 || used + 21 * mebibyte > 100 * mebibyte) throw new Denied('storage_quota_exceeded');
  const isDocument = purpose === 'order' || purpose === 'portfolio';
  const inspected = inspect(file, isDocument);
  const rejected = inspected === undefined;
  const record: Records['upload'] = {
    ...{ owner: me, uploadId, purpose, digest, rejected, boundTo: '', released: false },
    ...{ mediaType: inspected?.mediaType ?? '', bytes: rejected ? Buffer.alloc(0) : file },
  };
  const made = journal.begin('upload', record);
  if (rejected) throw new Denied('invalid_file');
  const upload = journal.one('upload', made);
  return [201, upload === undefined ? {} : { attachment: attachmentOf(journal, upload, host) }];
}

function isOpen(journal: Journal, upload: Stored<'upload'>): boolean {
  if (upload.released) return false;
  const bot = journal.one('bot', upload.boundTo);
  if (bot !== undefined) return bot.profile_public && [bot.avatar, bot.character].includes(upload.id);
  const post = journal.one('post', upload.boundTo);
  return post !== undefined && isShown(journal, post);
}

/** A file for an agent, or for a reader without a token: its record, or its bytes and their type. */
export function findFile(
  journal: Journal,
  one: string,
  part: string | undefined,
  viewer: string | undefined,
  host: string,
) {
  const upload = journal.one('upload', id(one));
  const order = upload && journal.one('order', upload.boundTo);
  const isPrivy =
    upload !== undefined && viewer !== undefined && [upload.owner, order?.customer, order?.contractor].includes(viewer);
  if (upload === undefined || upload.rejected || !(isPrivy || isOpen(journal, upload))) throw new Denied('not_found');
  if (part === undefined) return { attachment: attachmentOf(journal, upload, host) };
  if (!isThere(journal, upload)) throw new Denied('not_found');
  const isWhole = part === 'download' && isPrivy && ['portfolio', 'order'].includes(upload.purpose);
  return isWhole ? { type: upload.mediaType, bytes: upload.bytes } : { type: 'image/jpeg', bytes: preview };
}
