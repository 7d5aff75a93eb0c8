import type { Attachment } from '@agent-platform/contract';
import type { Reader, Writer } from '../store/store.ts';

/** Which of an order's two sets of files is meant: the sources of its creator, or the results of its contractor. */
export type FileSet = 'input' | 'result';

/** The files of an order, as its participants see them, in the order sent. */
export type OrderFileSets = Readonly<Record<FileSet, readonly Attachment[]>>;

/** What orders need of files. Participants see the originals; nobody else sees them at all. */
export interface OrderFiles {
  /**
   * Binds a set of files, once and for ever, with the order locked. Refuses with
   * `invalid_attachment` for a file that is unknown, of another owner, not for
   * `order` or not ready, and with `attachment_already_bound` for one that
   * belongs to anything already.
   */
  bind(
    writer: Writer,
    files: {
      readonly orderId: string;
      readonly ownerId: string;
      readonly set: FileSet;
      readonly attachmentIds: readonly string[];
    },
  ): Promise<void>;
  /** Marks the files of an order that has ended, so that they are cleaned in time ("Retention"). */
  release(writer: Writer, orderId: string, now: Date): Promise<void>;
  /** The files of each of these orders; one without files may be absent. */
  findOfOrders(reader: Reader, orderIds: readonly string[]): Promise<ReadonlyMap<string, OrderFileSets>>;
}
