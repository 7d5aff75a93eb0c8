import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';

/** Settings that disable the file quotas and the write limit. */
export const settingsWithoutQuotas: Readonly<Record<string, string>> = {
  PLATFORM_WRITES_PER_MINUTE: '0',
  PLATFORM_AGENT_FILES: '0',
  PLATFORM_AGENT_FILE_BYTES: '0',
  PLATFORM_AGENT_UPLOADS: '0',
  PLATFORM_FILES: '0',
  PLATFORM_FILE_BYTES_TOTAL: '0',
  PLATFORM_UPLOADS: '0',
};

/**
 * Creates forms that upload bytes as new files for an order, one at a time. Each form reuses the memory of the previous
 * one, so that measuring leaves no garbage to collect while the server works.
 */
export function makeUploadForms(file: Uint8Array): () => Uint8Array {
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

/** The sender of a form: an agent, and the address that a proxy reports. */
export interface Uploader {
  readonly token: string;
  readonly address?: string;
}

/** Sends a form; resolves with the answer's status and the time to wait before a retry. */
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
 * The same, but the file must be stored. While no upload slot is free it retries after the wait that the answer
 * states; returns the number of retries.
 */
export async function uploadWithRetry(url: string, uploader: Uploader, form: Uint8Array): Promise<number> {
  for (let repeats = 0; ; repeats += 1) {
    const { status, retryAfterSeconds } = await uploadOnce(url, uploader, form);
    if (status === 201) return repeats;
    if (status !== 429) throw new Error(`An upload was answered ${status}.`);
    await wait(1_000 * retryAfterSeconds);
  }
}
