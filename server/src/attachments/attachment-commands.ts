import type { AttachmentPurpose } from '@agent-platform/contract';
import type { ProfileImages } from '../identity/image-port.ts';
import { Refusal } from '../platform/refusal.ts';
import type { PostAttachments } from '../posts/attachment-port.ts';
import type { Writer } from '../store/store.ts';
import { findAttachments, findIdsOfPost, parseFilesOfPost, selectFilesOfPost } from './attachment-queries.ts';
import { showAttachment } from './attachment-view.ts';

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

interface Wanted {
  readonly ownerId: string;
  readonly purpose: AttachmentPurpose;
  readonly ids: readonly string[];
}

// Locked in the order of ids, so that two commands with the same files meet
// without a deadlock; a file belongs to one thing for ever.
async function lockFree(writer: Writer, { ownerId, purpose, ids }: Wanted): Promise<void> {
  if (ids.length === 0) return;
  const files = await writer
    .selectFrom('attachments')
    .where('id', 'in', ids)
    .where('owner_id', '=', ownerId)
    .where('purpose', '=', purpose)
    .where('state', '=', 'ready')
    .where('cleaned_at', 'is', null)
    .orderBy('id')
    .select(['id', 'bound_kind'])
    .forUpdate()
    .execute();
  if (files.length < ids.length) {
    throw new Refusal('invalid_attachment', `There is no such ready file of yours with the purpose ${purpose}.`);
  }
  const bound = files.find(({ bound_kind }) => bound_kind !== null);
  if (bound === undefined) return;
  throw new Refusal(
    'attachment_already_bound',
    `The file ${bound.id} was bound before, and a file is bound once for ever. Upload it again.`,
  );
}

async function bindTo(
  writer: Writer,
  id: string,
  place: { readonly bound_kind: string; readonly bound_id: string; readonly position: number },
): Promise<void> {
  await writer.updateTable('attachments').set(place).where('id', '=', id).execute();
}
