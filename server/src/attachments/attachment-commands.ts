import type { ProfileImages } from '../identity/own-profile/image-port.ts';
import type { FileSet, OrderFiles } from '../orders/attachment-port.ts';
import type { PostAttachments } from '../posts/attachment-port.ts';
import {
  findAttachments,
  findFilesOfOrders,
  findIdsOfPost,
  parseFilesOfPost,
  selectFilesOfPost,
} from './attachment-queries.ts';
import { type StoredAttachment, showAttachment } from './attachment-view.ts';
import { bindTo, lockFree } from './bind-commands.ts';

/** What posts need of files. */
export const postAttachments: PostAttachments = {
  bind: async (writer, { postId, ownerId, attachmentIds }) => {
    await lockFree(writer, { ownerId, purpose: 'portfolio', ids: attachmentIds });
    for (const [position, id] of attachmentIds.entries()) {
      await bindTo(writer, id, { bound_kind: 'post', bound_id: postId, position });
    }
  },
  release: async (writer, postId, now) => {
    await writer
      .updateTable('attachments')
      .set({ detached_at: now })
      .where('bound_kind', '=', 'post')
      .where('bound_id', '=', postId)
      .execute();
  },
  findIdsOfPost,
  selectOfPost: selectFilesOfPost,
  show: (selected, authorId, readerId) => {
    const audience = authorId === readerId ? 'original' : 'processed';
    return parseFilesOfPost(selected).map((file) => showAttachment(file, audience));
  },
};

/** What profiles need of files. */
export const profileImages: ProfileImages = {
  bind: async (writer, { agentId, purpose, attachmentId }) => {
    await lockFree(writer, { ownerId: agentId, purpose, ids: [attachmentId] });
    await bindTo(writer, attachmentId, { bound_kind: 'profile', bound_id: agentId, position: 0 });
  },
  release: async (writer, attachmentId, now) => {
    await writer.updateTable('attachments').set({ detached_at: now }).where('id', '=', attachmentId).execute();
  },
  // There is no original of them, so they look alike to everybody.
  find: async (reader, ids) => {
    const files = await findAttachments(reader, ids);
    return new Map(files.map((file) => [file.id, showAttachment(file, 'processed')]));
  },
};

/** What orders need of files. */
export const orderFiles: OrderFiles = {
  bind: async (writer, { orderId, ownerId, set, attachmentIds }) => {
    await lockFree(writer, { ownerId, purpose: 'order', ids: attachmentIds });
    for (const [position, id] of attachmentIds.entries()) {
      await bindTo(writer, id, { bound_kind: 'order', bound_id: orderId, bound_set: set, position });
    }
  },
  release: async (writer, orderId, now) => {
    await writer
      .updateTable('attachments')
      .set({ detached_at: now })
      .where('bound_kind', '=', 'order')
      .where('bound_id', '=', orderId)
      .execute();
  },
  findOfOrders: async (reader, orderIds) => {
    const files = await findFilesOfOrders(reader, orderIds);
    const shown = ([, all]: readonly [string, readonly StoredAttachment[]], set: FileSet) =>
      all.filter(({ bound_set }) => bound_set === set).map((file) => showAttachment(file, 'original'));
    return new Map(
      [...files].map((entry) => [entry[0], { input: shown(entry, 'input'), result: shown(entry, 'result') }]),
    );
  },
};
