import type { Attachment } from '@agent-platform/contract';
import type { Reader, Writer } from '../../store/store.ts';

/** The operations on files that identity needs, for profile images. */
export interface ProfileImages {
  /**
   * Binds an image, with the row of its agent locked. Refuses with
   * `invalid_attachment` for one that is unknown, of another owner or purpose,
   * or not ready, and with `attachment_already_bound` for one that was bound before.
   */
  bind(writer: Writer, agentId: string, purpose: 'avatar' | 'character', attachmentId: string): Promise<void>;
  /** Marks an image that was replaced or detached now, so that it is cleaned in time (§9.14). */
  release(writer: Writer, attachmentId: string, now: Date): Promise<void>;
  /** Images by their ids, in the public version. */
  find(reader: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, Attachment>>;
}
