import type { Attachment } from '@agent-platform/contract';
import type { Reader, Writer } from '../store/store.ts';

/** The two file sets of an order: the input of its creator, and the results of its contractor. */
type FileSet = 'input' | 'result';

/** The files of an order as shown to its participants, each set in the sequence in which it was sent. */
export type OrderFileSets = Readonly<Record<FileSet, readonly Attachment[]>>;

/** The operations on order files. Only the participants can read the files, and they get the originals. */
export interface OrderFilePort {
  /**
   * Binds a set of files permanently, while the order is locked. Refuses with `invalid_attachment` if a file is
   * unknown, of another owner, not for `order` or not ready, and with `attachment_already_bound` if it is already
   * bound.
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
  /** Marks the files of a closed order for retention (§9.15). */
  release(writer: Writer, orderId: string, now: Date): Promise<void>;
  /** Finds the files of these orders as shown to this agent; orders without files may be absent. */
  findOfOrders(
    reader: Reader,
    orderIds: readonly string[],
    readerId: string,
  ): Promise<ReadonlyMap<string, OrderFileSets>>;
}
