import { postAttachmentsIgnoringExpiry } from '../../attachments/attachment-commands.ts';
import { markFileRemoved } from '../../attachments/moderation-commands.ts';
import type { Revocation } from '../../platform/revocation.ts';
import { lockPost, markHidden, markShown } from '../../posts/moderation-commands.ts';
import { markDeleted } from '../../posts/post-commands.ts';
import type { Writer } from '../../store/store.ts';

/** Hides, shows or deletes a post again, as recorded in the revocation journal. */
export async function replayPostModeration(
  writer: Writer,
  { kind, post_id }: Extract<Revocation, { post_id: string }>,
  at: Date,
): Promise<void> {
  const post = await lockPost(writer, post_id);
  if (post === undefined) return;
  if (kind === 'post_hidden') await markHidden(writer, post);
  if (kind === 'post_shown') await markShown(writer, post);
  if (kind === 'post_deleted')
    await markDeleted(writer, postAttachmentsIgnoringExpiry, { id: post_id, authorId: post.author_id }, at);
}

/** Hides, shows or deletes a file again. After a deletion, the restore removes its bytes as unreferenced. */
export async function replayFileModeration(
  writer: Writer,
  { kind, file_id }: Extract<Revocation, { file_id: string }>,
  at: Date,
): Promise<void> {
  if (kind === 'file_deleted' && !(await markFileRemoved(writer, file_id, at))) return;
  const change = kind === 'file_deleted' ? { bytes_removed_at: at } : { hidden_at: kind === 'file_shown' ? null : at };
  await writer.updateTable('attachments').set(change).where('id', '=', file_id).execute();
}
