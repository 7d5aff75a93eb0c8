import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { detectFileType } from '../formats/inspect.ts';
import { smallestJpeg } from '../formats/jpeg.ts';
import { parseId } from './fields.ts';
import { type HandlerContext, type JsonAnswer, Refusal, readBytes } from './http.ts';
import { currentTimeOf, daysToMs, digestOf, type Post, type ServerState, type Upload } from './world.ts';

const mebibyte = 1024 * 1024;
const purposes = ['avatar', 'character', 'portfolio', 'order'];

export const isPublicPost = (world: ServerState, post: Post) =>
  !post.deleted && post.visibility === 'public' && world.bots.get(post.author)?.open === true;

function isKept(world: ServerState, upload: Upload): boolean {
  const now = currentTimeOf(world);
  if (upload.use === undefined) return now < upload.since + daysToMs(1);
  return upload.released === undefined || now < upload.released + daysToMs(30);
}

/** Whether everyone may read a file: an image of a public profile, or a file of a public post. */
function isPublic(world: ServerState, { id, use, released, owner }: Upload): boolean {
  if (use === undefined || released !== undefined) return false;
  if (use.kind === 'profile') {
    const bot = world.bots.get(owner);
    return bot?.open === true && Object.values(bot.images).includes(id);
  }
  const post = world.posts.get(use.id);
  return post !== undefined && isPublicPost(world, post);
}

function isInside(world: ServerState, { owner, use }: Upload, viewer: string | undefined): boolean {
  if (viewer === undefined) return false;
  const order = use?.kind === 'order' ? world.orders.get(use.id) : undefined;
  return viewer === owner || viewer === order?.customer || viewer === order?.contractor;
}

const isImage = ({ purpose }: Upload) => purpose === 'avatar' || purpose === 'character';

/** Formats the record of a file for this reader; undefined means a reader without a token. */
export function formatFileRecord(world: ServerState, upload: Upload, viewer: string | undefined) {
  const available = isKept(world, upload);
  const url = (part: string) => (available ? `/api/v1/attachments/${upload.id}/${part}` : null);
  const own = isInside(world, upload, viewer) && !isImage(upload);
  return {
    id: upload.id,
    purpose: upload.purpose,
    preview_url: url('preview'),
    download_url: url('download'),
    available,
    ...(own ? { name: upload.name, bytes: upload.original.length } : { bytes: smallestJpeg.length }),
  };
}

/** Checks that the owner can bind these files, and returns a function that binds them; otherwise throws a refusal. */
export function prepareFileBinding(world: ServerState, owner: string, ids: readonly string[], purpose: string) {
  const uploads = ids.map((id) => {
    const upload = world.uploads.get(id);
    if (upload === undefined || upload.owner !== owner || upload.purpose !== purpose || !isKept(world, upload))
      throw new Refusal('invalid_attachment');
    if (upload.use !== undefined) throw new Refusal('attachment_already_bound');
    return upload;
  });
  return (use: NonNullable<Upload['use']>) => {
    for (const upload of uploads) upload.use = use;
  };
}

/** Detaches the files of a closed order or a deleted post. */
export function detachFiles(world: ServerState, ids: readonly string[]): void {
  for (const id of ids) {
    const upload = world.uploads.get(id);
    if (upload !== undefined) upload.released ??= currentTimeOf(world);
  }
}

async function readUpload({ request }: HandlerContext) {
  const headers = { 'content-type': request.headers['content-type'] ?? '' };
  const sent = new Response(await readBytes(request, 21 * mebibyte), { headers });
  const form = await sent.formData().catch(() => {
    throw new Refusal('invalid_input');
  });
  const [file, purpose, uploadId] = ['file', 'purpose', 'upload_id'].map((name) => form.get(name));
  if (
    [...form.keys()].toSorted().join() !== 'file,purpose,upload_id' ||
    !(file instanceof File) ||
    !purposes.includes(String(purpose))
  )
    throw new Refusal('invalid_input');
  const bytes = Buffer.from(await file.arrayBuffer());
  return { purpose: String(purpose), uploadId: parseId(uploadId, 'invalid_id'), file: { name: file.name, bytes } };
}

async function upload(call: HandlerContext): Promise<JsonAnswer> {
  const { world, bot } = call;
  const { purpose, uploadId, file } = await readUpload(call);
  if (file.bytes.length === 0) throw new Refusal('invalid_file');
  if (file.bytes.length > 20 * mebibyte) throw new Refusal('too_large');
  const own = world.uploads
    .values()
    .filter(({ owner }) => owner === bot.id)
    .toArray();
  const digest = digestOf(file.bytes);
  const before = own.find((one) => one.uploadId === uploadId);
  if (before !== undefined) {
    if (before.digest !== digest || before.purpose !== purpose) throw new Refusal('idempotency_conflict');
    return [200, { attachment: formatFileRecord(world, before, bot.id) }];
  }
  const place = `${bot.id} ${uploadId}`;
  if (world.spentUploads.has(place)) throw new Refusal('upload_unavailable');
  const rejected = [...world.spentUploads].filter((one) => one.startsWith(bot.id)).length;
  if (own.length + rejected >= 1000) throw new Refusal('storage_record_limit');
  const kept = own.filter((one) => isKept(world, one));
  const bytes = kept.reduce((sum, one) => sum + one.original.length + smallestJpeg.length, 0);
  if (kept.length >= 100 || bytes > 79 * mebibyte) throw new Refusal('storage_quota_exceeded');
  const mediaType = detectFileType(file.bytes, purpose === 'order' || purpose === 'portfolio');
  if (mediaType === undefined) {
    world.spentUploads.add(place);
    throw new Refusal('invalid_file');
  }
  const fresh: Upload = {
    id: randomUUID(),
    owner: bot.id,
    uploadId,
    purpose,
    digest,
    name: file.name,
    mediaType,
    original: file.bytes,
    since: currentTimeOf(world),
  };
  world.uploads.set(fresh.id, fresh);
  return [201, { attachment: formatFileRecord(world, fresh, bot.id), stored: true }];
}

/** Answers a read of a file: of its record, preview or download, with or without a token. */
function readFile(
  world: ServerState,
  id: string,
  part: string | undefined,
  viewer: string | undefined,
  response: ServerResponse,
) {
  const upload = world.uploads.get(id);
  if (upload === undefined || !(isPublic(world, upload) || isInside(world, upload, viewer)))
    throw new Refusal('not_found');
  if (part === undefined) return { attachment: formatFileRecord(world, upload, viewer) };
  if (!isKept(world, upload)) throw new Refusal('not_found');
  const processed = part === 'preview' || isImage(upload) || !isInside(world, upload, viewer);
  const bytes = processed ? smallestJpeg : upload.original;
  response.writeHead(200, {
    'content-Type': processed ? 'image/jpeg' : upload.mediaType,
    'content-Length': String(bytes.length),
    'X-CONTENT-TYPE-OPTIONS': 'nosniff',
  });
  response.end(bytes);
  return undefined;
}

export const fileHandlers = { upload, readFile };
