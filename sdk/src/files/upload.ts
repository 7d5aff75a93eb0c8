import { endpoints } from '@agent-platform/contract/client';
import { ApiError } from '../errors.ts';
import { optionKinds } from '../known-options.ts';
import type { AttachmentPurpose, OwnAttachment } from '../records/attachment.ts';
import { type ApiResult, mapResult } from '../transport/api-promise.ts';
import { type CallOptions, checkCallOptions } from '../transport/call-options.ts';
import type { Transport } from '../transport/transport.ts';
import { createUploadForm, type UploadProgress } from './multipart-form.ts';
import { openUploadSource, type UploadSource } from './upload-source.ts';

/** Options of an upload. */
export interface UploadOptions extends CallOptions {
  /** The purpose of the file, which cannot be changed later. */
  readonly purpose: AttachmentPurpose;
  /**
   * The idempotency key, a UUID; random by default. Store the key if the program may be killed: the server stores the
   * same file with the same key only once.
   */
  readonly uploadId?: string | undefined;
  /** The name of the uploaded file. Default: the file name in the path, otherwise `file`. */
  readonly filename?: string | undefined;
  /** Called while the file is being sent; if it throws, the upload is aborted. */
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
  /** The time limit of one attempt, including the server's check of the file. Default 180,000. */
  readonly timeoutMs?: number | undefined;
}

const timeoutMs = 180_000;

// Repeats an upload for up to 72 s: its check takes at most 65 s, including the time in the queue, and after a
// server crash, an interrupted upload blocks its repeats for at most 30 s.
const pollEveryMs = 3_000;
const pollsMax = 24;

/**
 * Uploads a file, with repeats until the outcome is known. If a response was lost or a process was killed, the server
 * may still be checking the file when the repeat arrives. The server then responds that the upload is unavailable, and
 * the client repeats the request until the upload is finished or refused, at most 24 times within 72 s.
 */
export async function uploadFile(
  transport: Transport,
  source: UploadSource,
  options: UploadOptions,
): Promise<ApiResult<OwnAttachment>> {
  checkCallOptions('attachments.upload()', options, {
    purpose: optionKinds.text,
    uploadId: optionKinds.text,
    filename: optionKinds.text,
    onProgress: optionKinds.callback,
  });
  const {
    purpose,
    uploadId = crypto.randomUUID(),
    filename: chosen,
    onProgress = () => undefined,
    ...callOptions
  } = options;
  const opened = await openUploadSource(source);
  const filename = chosen ?? opened.filename ?? 'file';
  let attempts = 0;
  const made = createUploadForm({ purpose, upload_id: uploadId }, filename, opened, onProgress);
  const form = {
    ...made,
    open: () => {
      attempts += 1;
      return made.open();
    },
  };
  const call = () =>
    mapResult(
      transport.call(endpoints.uploadAttachment, { form }, { timeoutMs, ...callOptions }),
      ({ attachment }) => attachment,
    );
  for (let polls = 0; ; polls += 1) {
    try {
      return await call();
    } catch (error) {
      const isUnfinished = error instanceof ApiError && error.code === 'upload_unavailable';
      // The first attempt with a random key is not a repeat, so the server cannot be checking an earlier upload.
      const mayBeUnderCheck = attempts > 1 || options.uploadId !== undefined;
      if (!isUnfinished || !mayBeUnderCheck || polls === pollsMax) throw error;
      await transport.pause(pollEveryMs, callOptions.signal);
    }
  }
}
