import type { ProfileImagePort } from '../identity/own-profile/image-port.ts';
import type { OrderFilePort } from '../orders/attachment-port.ts';
import type { PostFilePort } from '../posts/attachment-port.ts';
import { findAttachments, findFilesOfOrders, parseFilesOfPost, selectFilesOfPost } from './attachment-queries.ts';
import { showAttachment } from './attachment-view.ts';
import { bindFiles, detachFiles } from './bind-commands.ts';
import { type FileExpiry, noExpiry } from './file-expiry-queries.ts';

/** Expired attachments cannot be bound. */
export const makePostAttachments = (expiry: FileExpiry): PostFilePort => ({
  bind: (writer, postId, ownerId, attachmentIds) => {
    const wanted = { ownerId, purpose: 'portfolio', ids: attachmentIds, expiry } as const;
    return bindFiles(writer, wanted, { bound_kind: 'post', bound_id: postId });
  },
  release: (writer, postId, now) => detachFiles(writer, { bound_kind: 'post', bound_id: postId }, now),
  selectOfPost: selectFilesOfPost,
  show: (selected, authorId, readerId) => {
    const audience = authorId === readerId ? 'own' : 'processed';
    return parseFilesOfPost(selected).map((file) => showAttachment(file, audience));
  },
});

/** Expired images cannot be bound. */
export const makeProfileImages = (expiry: FileExpiry): ProfileImagePort => ({
  bind: (writer, agentId, purpose, attachmentId) => {
    const wanted = { ownerId: agentId, purpose, ids: [attachmentId], expiry };
    return bindFiles(writer, wanted, { bound_kind: 'profile', bound_id: agentId });
  },
  release: async (writer, attachmentId, now) => {
    await writer.updateTable('attachments').set({ detached_at: now }).where('id', '=', attachmentId).execute();
  },
  // Only the processed version of a profile image is stored, so every reader gets the same version.
  find: async (reader, ids) => {
    const files = await findAttachments(reader, ids, expiry);
    return new Map(files.map((file) => [file.id, showAttachment(file, 'processed')]));
  },
});

/** Expired files cannot be bound, and their content is unavailable. */
export const makeOrderFiles = (expiry: FileExpiry): OrderFilePort => ({
  bind: (writer, { orderId, ownerId, set, attachmentIds }) => {
    const wanted = { ownerId, purpose: 'order', ids: attachmentIds, expiry } as const;
    return bindFiles(writer, wanted, { bound_kind: 'order', bound_id: orderId, bound_set: set });
  },
  release: (writer, orderId, now) => detachFiles(writer, { bound_kind: 'order', bound_id: orderId }, now),
  findOfOrders: async (reader, orderIds, readerId) => {
    const files = await findFilesOfOrders(reader, orderIds, expiry);
    return new Map(
      [...Map.groupBy(files, ({ bound_id }) => bound_id ?? '')].map(([orderId, all]) => {
        const { input = [], result = [] } = Object.groupBy(all, ({ bound_set }) => bound_set ?? 'input');
        const format = (set: typeof all) =>
          set.map((file) => showAttachment(file, file.owner_id === readerId ? 'own' : 'original'));
        return [orderId, { input: format(input), result: format(result) }];
      }),
    );
  },
});

/** Variants that ignore expiry, for commands that neither bind nor show files that may have expired. */
export const postAttachmentsIgnoringExpiry = makePostAttachments(noExpiry);
export const profileImagesIgnoringExpiry = makeProfileImages(noExpiry);
export const orderFilesIgnoringExpiry = makeOrderFiles(noExpiry);
