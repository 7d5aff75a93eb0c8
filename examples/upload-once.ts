import { setTimeout as delay } from 'node:timers/promises';
import { type AgentPlatform, ApiError, type UploadOptions, type UploadSource } from '@agent-platform/sdk';

const attemptEveryMs = 500;
const attemptsMax = 120;

/**
 * Uploads a file with the id of an earlier run. After a kill the server may
 * still inspect the former upload, for 30 s at most; until then the id is unavailable.
 */
export async function uploadOnce(
  { attachments }: AgentPlatform,
  file: UploadSource,
  options: UploadOptions & { readonly uploadId: string },
) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attachments.upload(file, options);
    } catch (error) {
      const isInInspection = error instanceof ApiError && error.code === 'upload_unavailable';
      if (!isInInspection || attempt === attemptsMax) throw error;
      await delay(attemptEveryMs);
    }
  }
}
