import type { AgentPlatform, AttachmentPurpose, OwnAttachment, UploadOptions } from '@agent-platform/sdk';
import { withHint } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import { openProgressBar } from '../output/progress-bar.ts';

export const filePurposes: readonly AttachmentPurpose[] = ['avatar', 'character', 'portfolio', 'order'];

type FileToUpload = { readonly path: string } & Pick<UploadOptions, 'purpose' | 'uploadId' | 'filename'>;

export async function uploadFile(platform: AgentPlatform, file: FileToUpload, io: Io): Promise<OwnAttachment> {
  const { path, ...rest } = file;
  const bar = openProgressBar(io, path, 'checking');
  try {
    return await platform.attachments.upload(path, {
      ...rest,
      signal: io.signal,
      onProgress: ({ sentBytes, totalBytes }) => bar.update(sentBytes, totalBytes),
    });
  } finally {
    bar.remove();
  }
}

/** The hint of an error contains the ids of the files uploaded so far. */
export async function uploadFiles(
  platform: AgentPlatform,
  paths: readonly string[],
  purpose: AttachmentPurpose,
  io: Io,
): Promise<string[]> {
  const uploaded: string[] = [];
  for (const path of paths) {
    uploaded.push((await addUploadHintOnFailure(uploaded, uploadFile(platform, { path, purpose }, io))).id);
  }
  return uploaded;
}

/** Extends a failure with the ids of the files that were already uploaded, for the next attempt. */
export function addUploadHintOnFailure<T>(uploaded: readonly string[], request: PromiseLike<T>): Promise<T> {
  const options = uploaded.map((id) => `--attachment ${id}`).join(' ');
  const hint = `The files are uploaded. Replace --attach with: ${options}`;
  return withHint(request, () => (uploaded.length === 0 ? undefined : hint));
}
