import { PlatformError } from './errors.ts';

/**
 * It is not known whether a command of an order took effect, and that does no
 * harm: it is in the outbox, and `orders.resume()` sends the same bytes again.
 */
export class OperationPendingError extends PlatformError {
  override readonly name = 'OperationPendingError';
  override readonly code = 'operation_pending';
  /** The `operation_id` of the command. */
  readonly operationId: string;

  constructor(operationId: string, message: string, cause: unknown) {
    super(message, { cause });
    this.operationId = operationId;
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), operationId: this.operationId };
  }
}
