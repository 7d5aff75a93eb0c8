import type { AgentPlatform, AttachmentPurpose, OwnAttachment, UploadOptions } from '@agent-platform/sdk';
import { withHint } from '../errors/failure.ts';
import type { Io } from '../io/io.ts';
import { openProgressBar } from '../output/progress-bar.ts';

/** All purposes of a file, for the parser and for completion. */
export const filePurposes: readonly AttachmentPurpose[] = ['avatar', 'character', 'portfolio', 'order'];

/** A file and the purpose of its upload. */
type FileToUpload = { readonly path: string } & Pick<UploadOptions, 'purpose' | 'uploadId' | 'filename'>;

/** Uploads a file, with a progress bar on a terminal. */
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

/** Uploads files and returns their ids; an error names the files uploaded so far. */
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
