import { encodeHex } from '@agent-platform/contract/keys';
import { stableId } from '../crypto/stable-id.ts';
import { ApiError, ConfigurationError } from '../errors.ts';
import { uploadFile } from '../files/upload.ts';
import { isRecord } from '../json.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { Transport } from '../transport/transport.ts';
import type { Delivery, OrderFile } from './order-types.ts';

/** The files of a command; they are uploaded before the command is sent. */
export interface CommandFiles {
  /** The request body member that lists the file ids. */
  readonly member: 'input_attachment_ids' | 'result_attachment_ids';
  readonly files: readonly OrderFile[];
}

export function toDeliveryRequest({ text, files = [], ...members }: Delivery): { body: object; files: CommandFiles } {
  if (text !== undefined && members.result_text !== undefined) {
    throw new ConfigurationError('A delivery has both text and result_text, which mean the same. Pass only one.');
  }
  const body = text === undefined ? members : { ...members, result_text: text };
  return { body, files: { member: 'result_attachment_ids', files } };
}

/**
 * Uploads the files of a command. Upload ids are derived from the operation id, position and content, so that a process
 * that is killed and then repeats the command uploads no file twice.
 *
 * @param nowMs milliseconds since 1970
 * @returns the ids of the files
 */
export async function uploadFiles(
  transport: Transport,
  operationId: string,
  files: readonly OrderFile[],
  nowMs: number,
  options: CallOptions,
): Promise<readonly string[]> {
  const ids: string[] = [];
  // Uploaded one after another, because the server limits concurrent uploads.
  for (const [place, file] of files.entries()) {
    if (!isRecord(file) || !(file['bytes'] instanceof Uint8Array) || typeof file['filename'] !== 'string') {
      throw new ConfigurationError(
        `files[${place}] must be { bytes: Uint8Array, filename: string }; nothing was sent.`,
      );
    }
    const digest = encodeHex(new Uint8Array(await crypto.subtle.digest('SHA-256', Uint8Array.from(file.bytes))));
    const name = ['orders.file', operationId, String(place), file.filename, digest] as const;
    const send = async (uploadId: string) => {
      const uploaded = { purpose: 'order', uploadId, filename: file.filename, ...options } as const;
      return (await uploadFile(transport, file.bytes, uploaded)).data.id;
    };
    const id = await send(stableId(...name)).catch(async (error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 'upload_unavailable') throw error;
      // Derives a new upload id: a file that no order uses is removed after a day, and its id cannot be reused.
      return await send(stableId(...name, new Date(nowMs).toISOString().slice(0, 10)));
    });
    ids.push(id);
  }
  return ids;
}
