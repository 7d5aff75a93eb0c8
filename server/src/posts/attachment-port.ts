import type { Attachment } from '@agent-platform/contract';
import type { RawBuilder } from 'kysely';
import type { Writer } from '../store/store.ts';

/** The columns of `selectOfPost`, as an argument of `show`; null for a post without files. */
export type SelectedFiles = string | null;

/**
 * The files of posts (§3.54). Posts check the rules about rights before they
 * call a method. Whether a file is public follows from its post
 * (`findPublicPostIds` in post-queries.ts), so a change of visibility needs no call.
 */
export interface PostAttachments {
  /**
   * Binds files to a new post, in the order sent and permanently, after its row is inserted and with the row of
   * its author locked. Refuses with `invalid_attachment` for a file that is
   * unknown, of another owner, not for `portfolio` or not ready, and with
   * `attachment_already_bound` for one that belongs to anything already.
   */
  bind(writer: Writer, postId: string, ownerId: string, attachmentIds: readonly string[]): Promise<void>;
  /** Marks the files of a post that is deleted now, so that they are cleaned in time (§9.14). */
  release(writer: Writer, postId: string, now: Date): Promise<void>;
  /**
   * Says in SQL what the files of a post are, to be selected together with the
   * post: a list of posts then needs no second query.
   */
  selectOfPost(postId: RawBuilder<unknown>): RawBuilder<SelectedFiles>;
  /**
   * The files of a post in their order, as `readerId` may see them: the author
   * the originals, other agents the processed versions (§5.21).
   */
  show(files: SelectedFiles, authorId: string, readerId: string): Attachment[];
}
