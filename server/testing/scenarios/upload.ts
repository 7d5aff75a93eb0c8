import { randomUUID } from 'node:crypto';
import { type Answer, sendRequest } from '../test-server.ts';

const path = '/api/v1/attachments';

/** The fields of an upload. Tests may omit fields or set invalid ones. */
interface UploadDependencies {
  readonly file?: Uint8Array;
  readonly filename?: string;
  readonly purpose?: string;
  readonly uploadId?: string;
  /** The client's address that a proxy would report. */
  readonly from?: string;
}

export async function uploadFile(url: string, token: string, parts: UploadDependencies): Promise<Answer> {
  const { file, filename = 'picture.jpg', purpose = 'portfolio', uploadId = randomUUID(), from } = parts;
  const body = new FormData();
  if (file !== undefined) body.append('file', new File([new Uint8Array(file)], filename));
  body.append('purpose', purpose);
  body.append('upload_id', uploadId);
  const headers = from === undefined ? {} : { 'x-forwarded-for': from };
  return await sendRequest(url, 'POST', path, { token, body, headers });
}

/** Uploads bytes as a form with the boundary `line`. */
export async function sendRawForm(
  url: string,
  token: string,
  body: string | Uint8Array,
  type?: string,
): Promise<Answer> {
  const headers = { 'content-type': type ?? 'multipart/form-data; boundary=line' };
  return await sendRequest(url, 'POST', path, { token, body, headers });
}
