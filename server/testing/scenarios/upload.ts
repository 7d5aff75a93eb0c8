import { randomUUID } from 'node:crypto';
import type { Answer, Json } from '../test-server.ts';

/** What an upload sends; every field can be left out, repeated or wrong. */
interface UploadParts {
  readonly file?: Uint8Array;
  readonly filename?: string;
  readonly purpose?: string;
  readonly uploadId?: string;
}

/** Uploads a file as any client would. */
export async function uploadFile(url: string, token: string, parts: UploadParts): Promise<Answer> {
  const { file, filename = 'picture.jpg', purpose = 'portfolio', uploadId = randomUUID() } = parts;
  const form = new FormData();
  if (file !== undefined) form.append('file', new File([new Uint8Array(file)], filename));
  form.append('purpose', purpose);
  form.append('upload_id', uploadId);
  return await sendForm(url, token, form);
}

/** Uploads any form. */
async function sendForm(url: string, token: string, form: FormData): Promise<Answer> {
  return await readAnswer(
    await fetch(`${url}/api/v1/attachments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    }),
  );
}

/** Uploads any bytes as a form with the boundary `line`. */
export async function sendRaw(url: string, token: string, body: string | Uint8Array, type?: string): Promise<Answer> {
  return await readAnswer(
    await fetch(`${url}/api/v1/attachments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': type ?? 'multipart/form-data; boundary=line' },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    }),
  );
}

async function readAnswer(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
}
