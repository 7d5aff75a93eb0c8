import type { Attachment } from '@agent-platform/contract';
import type { RawBuilder } from 'kysely';
import type { Writer } from '../store/store.ts';

/** The value that `selectOfPost` selects, to be passed to `show`; null for a post without files. */
export type SelectedFiles = string | null;

/**
 * The files of posts (§3.54). Callers check `rights_confirmed` before they call a method. Whether a file is public
 * follows from its post (`findPublicPostIds` in post-queries.ts), so a change of visibility needs no call.
 */
export interface PostFilePort {
  /**
   * Binds files to a new post permanently, in the given order, after its row is inserted and while its author's row is
   * locked. Refuses with `invalid_attachment` if a file is unknown, of another owner, not for `portfolio` or not ready,
   * and with `attachment_already_bound` if it is already bound.
   */
  bind(writer: Writer, postId: string, ownerId: string, attachmentIds: readonly string[]): Promise<void>;
  /** Marks the files of a deleted post, so that they are removed later (§9.14). */
  release(writer: Writer, postId: string, now: Date): Promise<void>;
  /** SQL that selects the files of a post together with the post, so that a list of posts needs no second query. */
  selectOfPost(postId: RawBuilder<unknown>): RawBuilder<SelectedFiles>;
  /**
   * The files of a post in order, as `readerId` may see them: the originals for the author, the processed versions
   * for other agents (§5.21).
   */
  show(files: SelectedFiles, authorId: string, readerId: string): Attachment[];
}
