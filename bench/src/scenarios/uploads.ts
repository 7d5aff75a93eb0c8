import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';

/** The settings that switch off the quotas of files and the limit of writes. */
export const withoutQuotas: Readonly<Record<string, string>> = {
  PLATFORM_WRITES_PER_MINUTE: '0',
  PLATFORM_AGENT_FILES: '0',
  PLATFORM_AGENT_FILE_BYTES: '0',
  PLATFORM_AGENT_UPLOADS: '0',
  PLATFORM_FILES: '0',
  PLATFORM_FILE_BYTES_TOTAL: '0',
  PLATFORM_UPLOADS: '0',
};

/**
 * Makes the forms that bring bytes as a new file for an order, one at a time:
 * each has an id of its own in the memory of the one before it, so that
 * measuring leaves no garbage of that size, which would be collected while the
 * server works.
 */
export function uploadForms(file: Uint8Array): () => Uint8Array {
  const part = (names: string, value: string) =>
    `--measured\r\ncontent-disposition: form-data; ${names}\r\n\r\n${value}`;
  const purpose = `${part('name="purpose"', 'order')}\r\n${part('name="upload_id"', '')}`;
  const rest = `\r\n${part('name="file"; filename="measured"', '')}`;
  const form = Buffer.concat([Buffer.from(purpose + randomUUID() + rest), file, Buffer.from('\r\n--measured--\r\n')]);
  return () => {
    form.write(randomUUID(), purpose.length);
    return form;
  };
}

/** Who sends a form: an agent, and the address that a proxy names. */
export interface Uploader {
  readonly token: string;
  readonly address?: string;
}

/** Sends a form; resolves with the status of the answer, and for how long to wait before the form is sent again. */
export async function uploadOnce(url: string, { token, address }: Uploader, form: Uint8Array) {
  const answer = await request(`${url}/api/v1/attachments`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'multipart/form-data; boundary=measured',
      ...(address === undefined ? {} : { 'x-forwarded-for': address }),
    },
    body: form,
  });
  await answer.body.dump();
  return { status: answer.statusCode, retryAfterSeconds: Number(answer.headers['retry-after'] ?? 1) };
}

/**
 * The same, where nothing but a new file will do. While no place is free it is sent again, after the wait that the answer
 * names; returns how often it was.
 */
export async function mustUpload(url: string, uploader: Uploader, form: Uint8Array): Promise<number> {
  for (let repeats = 0; ; repeats += 1) {
    const { status, retryAfterSeconds } = await uploadOnce(url, uploader, form);
    if (status === 201) return repeats;
    if (status !== 429) throw new Error(`An upload was answered ${status}.`);
    await wait(1_000 * retryAfterSeconds);
  }
}
