import { Refusal } from '../platform/refusal.ts';
import type { PostAttachments } from './attachment-port.ts';

/** Stands in where nothing can be uploaded: every id refers to nothing. */
export const noAttachments: PostAttachments = {
  bind: async (_writer, { attachmentIds }) => {
    if (attachmentIds.length > 0) {
      throw new Refusal('invalid_attachment', 'There is no such file of yours for a post. Upload it first.');
    }
  },
  release: async () => undefined,
  findIdsOfPost: async () => [],
  findOfPosts: async () => new Map(),
};
