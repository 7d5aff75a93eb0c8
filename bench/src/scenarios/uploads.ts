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
 * Returns a function that makes a form for uploading the bytes as a new file of an order. All forms share one buffer,
 * so that garbage collection in this process does not affect the measurement.
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

export interface Uploader {
  readonly token: string;
  readonly address?: string;
}

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

/** Waits for the delay in the response while no upload slot is free. Returns the number of retries. */
export async function uploadWithRetry(url: string, uploader: Uploader, form: Uint8Array): Promise<number> {
  for (let repeats = 0; ; repeats += 1) {
    const { status, retryAfterSeconds } = await uploadOnce(url, uploader, form);
    if (status === 201) return repeats;
    if (status !== 429) throw new Error(`The server responded to an upload with status ${status}.`);
    await wait(1_000 * retryAfterSeconds);
  }
}
