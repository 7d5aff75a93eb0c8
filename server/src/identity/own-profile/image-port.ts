import type { Attachment } from '@agent-platform/contract';
import type { Reader, Writer } from '../../store/store.ts';

/** The operations on profile images that the identity feature needs from the file feature. */
export interface ProfileImagePort {
  /**
   * Binds an image while the agent's row is locked. Refuses with `invalid_attachment` if the image is unknown, not
   * ready, or of another owner or purpose, and with `attachment_already_bound` if it was bound before.
   */
  bind(writer: Writer, agentId: string, purpose: 'avatar' | 'character', attachmentId: string): Promise<void>;
  /** Marks an image that was replaced or detached, so that retention removes it later (§9.14). */
  release(writer: Writer, attachmentId: string, now: Date): Promise<void>;
  /** Finds the public versions of images, by id. */
  find(reader: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, Attachment>>;
}
