import { randomUUID } from 'node:crypto';
import { request } from 'undici';

/** Nothing of the quotas stands in the way of a measure. */
export const withoutQuotas: Readonly<Record<string, string>> = {
  PLATFORM_WRITES_PER_MINUTE: '0',
  PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '1000000000',
  PLATFORM_AGENT_FILES: '0',
  PLATFORM_AGENT_FILE_BYTES: '0',
  PLATFORM_AGENT_UPLOADS: '0',
  PLATFORM_FILES: '0',
  PLATFORM_FILE_BYTES_TOTAL: '0',
  PLATFORM_UPLOADS: '0',
};

/** The form that brings bytes as a new file for an order; each is sent once. */
export function uploadForm(file: Uint8Array): Uint8Array {
  const part = (names: string, value: string) =>
    `--measured\r\ncontent-disposition: form-data; ${names}\r\n\r\n${value}`;
  const head = `${part('name="purpose"', 'order')}\r\n${part('name="upload_id"', randomUUID())}\r\n${part('name="file"; filename="measured"', '')}`;
  return Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n--measured--\r\n')]);
}

/** Sends a form and returns the status of the answer. */
export async function uploadOnce(url: string, token: string, form: Uint8Array): Promise<number> {
  const answer = await request(`${url}/api/v1/attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=measured' },
    body: form,
  });
  await answer.body.dump();
  return answer.statusCode;
}

/** The same, where nothing but a new file will do. */
export async function mustUpload(url: string, token: string, form: Uint8Array): Promise<void> {
  const status = await uploadOnce(url, token, form);
  if (status !== 201) throw new Error(`An upload was answered ${status}.`);
}
