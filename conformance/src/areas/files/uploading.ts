import type { Agent } from '../../context/agent.ts';
import type { Run } from '../../context/check.ts';
import { errorCodeOf, expect, InconclusiveError } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import type { FormPart } from '../../context/http/multipart.ts';
import type { JsonObject } from '../../context/json.ts';
import { filesPath } from '../../context/paths.ts';
import { makePhoto } from '../../payloads/jpeg.ts';
import { publicPostMembers, publishPost } from '../posts/publishing.ts';

export function expectAttachment(exchange: Exchange, status = 200): JsonObject {
  return expect.container(exchange, 'attachment', status);
}

export interface FileToUpload {
  readonly bytes: Uint8Array;
  readonly purpose?: string;
  readonly filename?: string;
  readonly type?: string;
  readonly uploadId?: string;
}

export function makeUploadForm(run: Run, given: FileToUpload): readonly [FormPart, FormPart, FormPart] {
  const {
    bytes,
    purpose = 'portfolio',
    filename = 'photo.jpg',
    type = 'image/jpeg',
    uploadId = run.random.uuid(),
  } = given;
  return [
    { name: 'purpose', content: purpose },
    { name: 'upload_id', content: uploadId },
    { name: 'file', content: bytes, filename, type },
  ];
}

/** If the server is busy, retries once, with a new upload_id unless one is given. */
export async function requestUpload(run: Run, agent: Agent, given: FileToUpload): Promise<Exchange> {
  const send = () => agent.send({ method: 'POST', path: filesPath, form: makeUploadForm(run, given) });
  try {
    return await send();
  } catch (error) {
    const isSpent = error instanceof InconclusiveError && errorCodeOf(error.exchange) === 'upload_unavailable';
    if (!isSpent || given.uploadId !== undefined) throw error;
    return await send();
  }
}

export async function uploadFile(run: Run, agent: Agent, given: FileToUpload): Promise<string> {
  const reply = await requestUpload(run, agent, given);
  const answer = isPdf(given)
    ? await run.precondition('AP-FILE-011', () => expect.status(reply, 201), { isPart: true })
    : expect.works(reply, 201);
  const record = expectAttachment(answer, 201);
  const { purpose = 'portfolio' } = given;
  await run.precondition('AP-FILE-004', () => expect.member(record, 'purpose', purpose, answer));
  return await run.precondition('AP-FILE-002', () => expect.id(record, answer));
}

/** PDFs are judged separately, because a faulty server may accept pictures but refuse every PDF. */
export function isPdf({ bytes }: FileToUpload): boolean {
  return Buffer.from(bytes.subarray(0, 4)).equals(Buffer.from('%PDF'));
}

export function pathsOfFile(id: string): readonly [record: string, preview: string, download: string] {
  const record = `${filesPath}/${id}`;
  return [record, `${record}/preview`, `${record}/download`];
}

export async function publishPhoto(run: Run, author: Agent) {
  const photo = makePhoto(run.random);
  const file = await uploadFile(run, author, photo);
  const post = await publishPost(run, author, {
    text: 'With a picture.',
    attachment_ids: [file],
    ...publicPostMembers,
  });
  return { photo, post, file, paths: pathsOfFile(file) };
}

export async function expectPublicFiles(run: Run, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const answer = await run.anonymous.get(path);
    await run.precondition('AP-FILE-024', () => expect.status(answer, 200));
  }
}
