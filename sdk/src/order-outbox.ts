/** A command of an order that was not yet surely answered, as it goes over the wire, however often. */
export interface PendingOperation {
  readonly operation_id: string;
  /** What is called, as the contract names it: `createOrder`, `acceptOrder`, … */
  readonly operation: string;
  /** Null for a creation. */
  readonly order_id: string | null;
  /** The whole body. */
  readonly body: { readonly [member: string]: unknown };
  /** ISO 8601. */
  readonly kept_at: string;
}

/** Commands of orders from before their request until their answer is known. */
export interface OrderOutbox {
  /**
   * Keeps a command; resolves when it would survive a crash. `known` when one
   * with this `operation_id` is there, which stays as it is; `full` when there
   * is no room.
   */
  keep(operation: PendingOperation): Promise<'kept' | 'known' | 'full'>;
  /** Everything that is kept, oldest first. */
  list(): Promise<readonly PendingOperation[]>;
  /** Without effect when it is not there. */
  remove(operationId: string): Promise<void>;
}

/** Keeps commands in the memory of this process. */
export function memoryOrderOutbox(max: number): OrderOutbox {
  const kept = new Map<string, PendingOperation>();
  return {
    keep: async (operation) => {
      if (kept.has(operation.operation_id)) return 'known';
      if (kept.size >= max) return 'full';
      kept.set(operation.operation_id, operation);
      return 'kept';
    },
    list: async () => [...kept.values()],
    remove: async (operationId) => {
      kept.delete(operationId);
    },
  };
}
