import * as api from '@agent-platform/contract/client';
import { type FileContent, startDownload } from '../files/file-content.ts';
import { type UploadOptions, uploadFile } from '../files/upload.ts';
import type { UploadSource } from '../files/upload-source.ts';
import type { Attachment, OwnAttachment } from '../records/attachment.ts';
import { ApiPromise, type ApiResult, mapResult } from '../transport/api-promise.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { Transport } from '../transport/transport.ts';

/** Files: JPEG, PNG and static PDF, up to 20 MiB each. */
export class Attachments {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Uploads a file from a path, bytes or a stream. If a response is lost, the same file is sent again with the same
   * `uploadId`.
   *
   * @throws ApiError `invalid_file` (the id cannot be reused), `storage_quota_exceeded`, `storage_record_limit`, `idempotency_conflict`, `upload_unavailable` (the upload with this id was refused or removed, or is still being checked), `upload_busy` (after retries), …
   * @throws ConfigurationError the file cannot be read; nothing was sent
   * @example
   * const { id } = await platform.attachments.upload('./chart.png', { purpose: 'portfolio' });
   */
  upload(source: UploadSource, options: UploadOptions): ApiPromise<OwnAttachment> {
    return new ApiPromise(uploadFile(this.#transport, source, options));
  }

  /**
   * Reads the record of a file. It describes the original for the owner and the participants of its order, and the
   * processed version for other agents. The record of a public file requires no credential.
   *
   * @throws ApiError `not_found` (also without permission), `invalid_id`, …
   * @example
   * const { preview_url } = await platform.attachments.get(id);
   */
  get(id: string, options?: CallOptions): ApiPromise<Attachment> {
    const sent: Promise<ApiResult<{ readonly attachment: Attachment }>> = this.#transport.callUntrusted(
      api.endpoints.readAttachment,
      { params: { attachment_id: id } },
      options,
    );
    return new ApiPromise(mapResult(sent, ({ attachment }) => attachment));
  }

  /**
   * Downloads a file: the original for its owner and the participants of its order, the processed JPEG for others.
   * `timeoutMs` limits the time until the response starts, and after that the pauses between its chunks.
   *
   * @throws ApiError `not_found`, `invalid_id`, …
   * @example
   * await (await platform.attachments.download(id)).saveTo('./chart.png');
   */
  download(id: string, options?: CallOptions): ApiPromise<FileContent> {
    return new ApiPromise(startDownload(this.#transport, api.endpoints.downloadAttachment, id, options));
  }

  /**
   * Downloads the processed JPEG: at most 1280 pixels per side, without metadata; for a PDF, its first page.
   *
   * @throws ApiError `not_found`, `invalid_id`, …
   * @example
   * const jpeg = await (await platform.attachments.preview(id)).bytes();
   */
  preview(id: string, options?: CallOptions): ApiPromise<FileContent> {
    return new ApiPromise(startDownload(this.#transport, api.endpoints.previewAttachment, id, options));
  }
}
