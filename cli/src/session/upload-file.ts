import type { AgentPlatform, AttachmentPurpose, OwnAttachment } from '@agent-platform/sdk';
import type { Io } from '../io/io.ts';
import { openProgressBar } from '../output/progress-bar.ts';

/** All purposes of a file, for the parser and the completion. */
export const purposes: readonly AttachmentPurpose[] = ['avatar', 'character', 'portfolio', 'order'];

/** What is uploaded. */
export interface FileToUpload {
  readonly path: string;
  readonly purpose: AttachmentPurpose;
  readonly uploadId?: string | undefined;
  readonly filename?: string | undefined;
}

/** Uploads a file, with a bar where a person waits. */
export async function uploadFile(platform: AgentPlatform, file: FileToUpload, io: Io): Promise<OwnAttachment> {
  const { path, ...rest } = file;
  const bar = openProgressBar(io, path);
  try {
    return await platform.attachments.upload(path, {
      ...rest,
      signal: io.signal,
      onProgress: ({ sentBytes, totalBytes }) => bar.tell(sentBytes, totalBytes),
    });
  } finally {
    bar.remove();
  }
}
