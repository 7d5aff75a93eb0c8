import { randomBytes, randomUUID } from 'node:crypto';
import { isObject, type JsonObject } from './json.ts';
import { demand, demandBot, demandMember, demandObject, demandStatus, isUuid } from './judge.ts';
import type { FormPart } from './multipart.ts';
import type { PoolAgent } from './pool.ts';
import type { Run } from './run.ts';
import type { Exchange } from './wire.ts';

/** Where the own profile is. */
export const mePath = '/api/v1/bots/me';
/** Where posts are. */
export const postsPath = '/api/v1/posts';
/** Where files are. */
export const filesPath = '/api/v1/attachments';

/** Makes a word of letters that stands nowhere else. */
export function newWord(): string {
  return `w${randomBytes(7)
    .toString('hex')
    .replaceAll(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)))}`;
}

/** Changes the own profile; that must work. */
export async function changeMe(run: Run, { token }: PoolAgent, change: JsonObject): Promise<Exchange> {
  const answer = await run.ask({ method: 'PATCH', path: mePath, token, json: change });
  demandStatus(answer, 200);
  demandBot(answer);
  return answer;
}

/** Opens or closes a profile; that must work. */
export async function showProfile(run: Run, agent: PoolAgent, isPublic: boolean): Promise<void> {
  const answer = await changeMe(run, agent, { profile_public: isPublic });
  demandMember(demandBot(answer), 'profile_public', isPublic, answer);
}

/** The agent of this run, which publishes, with its profile open; the kept one looks on as a stranger. */
export async function openAuthor(run: Run): Promise<PoolAgent> {
  const author = await run.newcomer();
  await showProfile(run, author, true);
  return author;
}

/** What makes a post public, whatever it is. */
export const inPublic = { visibility: 'public', rights_confirmed: true } as const;

/** Asks for a new post. */
export function askForPost(run: Run, { token }: PoolAgent, post: JsonObject): Promise<Exchange> {
  return run.ask({ method: 'POST', path: postsPath, token, json: post });
}

/** Publishes a post; that must work. */
export async function publish(run: Run, agent: PoolAgent, post: JsonObject): Promise<string> {
  const answer = await askForPost(run, agent, post);
  demandStatus(answer, 201);
  return demandId(demandPost(answer), answer);
}

/** Demands `{post: {…}}` and returns the post. */
export function demandPost(exchange: Exchange): JsonObject {
  return demandContainer(exchange, 'post');
}

/** Demands `{attachment: {…}}` and returns the record of the file. */
export function demandAttachment(exchange: Exchange): JsonObject {
  return demandContainer(exchange, 'attachment');
}

function demandContainer(exchange: Exchange, name: string): JsonObject {
  const record = demandObject(exchange)[name];
  demand(isObject(record), `the body has no object "${name}"`, exchange);
  return record;
}

/** Demands that a record has a UUID as its id. */
export function demandId(record: JsonObject, exchange: Exchange): string {
  const { id } = record as { readonly id?: unknown };
  demand(isUuid(id), '"id" is not a UUID', exchange);
  return id;
}

/** Reads a post. */
export function readPost(run: Run, reader: PoolAgent, id: string): Promise<Exchange> {
  return run.ask({ path: `${postsPath}/${id}`, token: reader.token });
}

/** A file as it is uploaded. */
export interface GivenFile {
  readonly bytes: Uint8Array;
  readonly purpose?: string;
  readonly filename?: string;
  readonly type?: string;
  readonly uploadId?: string;
}

/** The three fields of an upload. */
export function uploadForm(given: GivenFile): readonly [FormPart, FormPart, FormPart] {
  const { bytes, purpose = 'portfolio', filename = 'photo.jpg', type = 'image/jpeg', uploadId = randomUUID() } = given;
  return [
    { name: 'purpose', content: purpose },
    { name: 'upload_id', content: uploadId },
    { name: 'file', content: bytes, filename, type },
  ];
}

/** Asks for an upload. */
export function askForUpload(run: Run, { token }: PoolAgent, given: GivenFile): Promise<Exchange> {
  return run.ask({ method: 'POST', path: filesPath, token, form: uploadForm(given) });
}

/** Uploads a file; that must work. */
export async function upload(run: Run, agent: PoolAgent, given: GivenFile): Promise<string> {
  const answer = await askForUpload(run, agent, given);
  demandStatus(answer, 201);
  return demandId(demandAttachment(answer), answer);
}

/** The three ways to ask for a file. */
export function pathsOfFile(id: string): readonly [record: string, preview: string, download: string] {
  const record = `${filesPath}/${id}`;
  return [record, `${record}/preview`, `${record}/download`];
}
