import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  acceptOrder,
  approveRefund,
  cancelOrder,
  completeOrder,
  createOrder,
  deliverOrder,
  disputeOrder,
  type Endpoint,
  type ErrorCode,
  isErrorCode,
  proposeRefund,
  rejectOrder,
  startOrder,
} from '@agent-platform/contract';
import { ApiError, ConfigurationError, OperationPendingError, PlatformError, StateError } from '../errors.ts';
import type { CachedState } from '../state/cached-state.ts';
import type { OperationStore, PendingOperation } from '../state/client-state.ts';
import type { ApiResult } from '../transport/api-promise.ts';
import type { CallOptions } from '../transport/call-options.ts';
import type { Transport } from '../transport/transport.ts';
import type { Order } from './order-types.ts';

/** What every command of an order takes beside its own arguments. */
export interface OperationOptions extends CallOptions {
  /**
   * The idempotency key, a UUID; drawn at random when it is absent. The same id
   * with the same content has one effect and one answer, however often it is sent.
   */
  readonly operationId?: string | undefined;
}

/** What became of a command that was still without an answer. */
export type ResumedOperation = { readonly operation: PendingOperation } & (
  | { readonly outcome: 'done'; readonly order: Order }
  | { readonly outcome: 'refused'; readonly error: ApiError }
  | { readonly outcome: 'pending'; readonly error: PlatformError }
);

/** A command before it has an id and a place in the outbox. */
export interface OrderCommand {
  readonly endpoint: Endpoint;
  readonly orderId: string | null;
  readonly body: object;
}

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const endpoints: ReadonlyMap<string, Endpoint> = new Map(
  [
    createOrder,
    acceptOrder,
    startOrder,
    deliverOrder,
    completeOrder,
    cancelOrder,
    rejectOrder,
    disputeOrder,
    proposeRefund,
    approveRefund,
  ].map((endpoint) => [endpoint.id, endpoint]),
);

// Beside the codes that an operation declares itself, these too are said of what
// was sent and not of who sends it and when: a repeat would be refused as well.
const saidOfTheRequest: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'invalid_input',
  'invalid_id',
  'not_found',
  'body_too_large',
  'unsupported_media_type',
]);

/**
 * Sends the commands that move credits. Each is in the outbox, exactly as it
 * goes over the wire, before its request leaves, and until it is known what
 * became of it.
 */
export class OrderOperations {
  readonly #transport: Transport;
  readonly #state: CachedState;
  readonly #now: () => number;
  readonly #underWay = new Set<string>();

  constructor(transport: Transport, state: CachedState, now: () => number) {
    this.#transport = transport;
    this.#state = state;
    this.#now = now;
  }

  /** Keeps a command, sends it, and forgets it once its answer is known. */
  async run(command: OrderCommand, options: OperationOptions = {}): Promise<ApiResult<Order>> {
    const { operationId: chosen = randomUUID(), ...callOptions } = options;
    if (!uuidForm.test(chosen)) {
      throw new ConfigurationError(`operationId is ${JSON.stringify(chosen)}; it has to be a UUID.`);
    }
    const operationId = chosen.toLowerCase();
    callOptions.signal?.throwIfAborted();
    const { operations: outbox } = await this.#state.opened();
    const operation: PendingOperation = {
      operation_id: operationId,
      operation: command.endpoint.id,
      order_id: command.orderId,
      body: { operation_id: operationId, ...command.body },
      kept_at: new Date(this.#now()).toISOString(),
    };
    const isRepeat = await keep(outbox, operation);
    const { answer, error } = await this.#send(outbox, operation, callOptions, isRepeat);
    if (answer !== undefined) return answer;
    throw error;
  }

  /** Sends everything again that is still without an answer, oldest first. */
  async resume(options: CallOptions = {}): Promise<readonly ResumedOperation[]> {
    const { operations: outbox } = await this.#state.opened();
    const resumed: ResumedOperation[] = [];
    let stopped: PlatformError | undefined;
    for (const operation of await outbox.list()) {
      if (this.#underWay.has(operation.operation_id)) continue;
      // The server does not answer, or the ones behind would overtake it.
      if (stopped !== undefined) {
        resumed.push({ operation, outcome: 'pending', error: stopped });
        continue;
      }
      const { answer, error } = await this.#send(outbox, operation, options, true);
      if (answer !== undefined) resumed.push({ operation, outcome: 'done', order: answer.data });
      else if (error instanceof ApiError) resumed.push({ operation, outcome: 'refused', error });
      else if (error instanceof PlatformError) {
        stopped = error;
        resumed.push({ operation, outcome: 'pending', error });
      } else throw error;
    }
    return resumed;
  }

  /** What is still without an answer, oldest first. */
  async pending(): Promise<readonly PendingOperation[]> {
    return (await this.#state.opened()).operations.list();
  }

  /** Gives a command up that is still without an answer. */
  async forget(operationId: string): Promise<void> {
    await (await this.#state.opened()).operations.remove(operationId.toLowerCase());
  }

  async #send(
    outbox: OperationStore,
    operation: PendingOperation,
    options: CallOptions,
    isRepeat: boolean,
  ): Promise<{ readonly answer?: ApiResult<Order>; readonly error?: unknown }> {
    let mayHaveArrived = isRepeat;
    const onUnclear = () => {
      mayHaveArrived = true;
    };
    this.#underWay.add(operation.operation_id);
    try {
      const answer = await this.#call(operation, options, onUnclear);
      await outbox.remove(operation.operation_id);
      return { answer };
    } catch (error) {
      // Whoever aborts gets its own reason; what was sent by then is not known.
      if (options.signal?.aborted === true) return { error };
      if (!mayHaveArrived || isDefinite(operation, error)) {
        await outbox.remove(operation.operation_id);
        return { error };
      }
      return { error: stillPending(operation, error) };
    } finally {
      this.#underWay.delete(operation.operation_id);
    }
  }

  async #call(operation: PendingOperation, options: CallOptions, onUnclear: () => void): Promise<ApiResult<Order>> {
    const endpoint = endpoints.get(operation.operation);
    if (endpoint === undefined) {
      throw new ConfigurationError(
        `The outbox holds a "${operation.operation}", which this version does not know: it was written by a later one.`,
      );
    }
    const { order_id, body } = operation;
    const input = order_id === null ? { body } : { params: { order_id }, body };
    const { data, response } = await this.#transport.send(endpoint, input, options, { onUnclear });
    // The border between what came over the wire and what the contract promises;
    // that texts are untrusted is a matter of types alone.
    return { data: (data as { order: Order }).order, response };
  }
}

async function keep(outbox: OperationStore, operation: PendingOperation): Promise<boolean> {
  const kept = await outbox.keep(operation);
  if (kept === 'full') {
    throw new StateError(
      'outbox_full',
      'The outbox is full of commands whose answer is not known; nothing was sent. Call orders.resume() once the server answers.',
    );
  }
  if (kept === 'kept') return false;
  const before = (await outbox.list()).find(({ operation_id }) => operation_id === operation.operation_id);
  if (before === undefined || isDeepStrictEqual(contentOf(before), contentOf(operation))) return true;
  throw new ConfigurationError(
    `The operation ${operation.operation_id} is still without an answer and had another content. Take another id, or call orders.resume() first.`,
  );
}

function contentOf({ operation, order_id, body }: PendingOperation) {
  return { operation, order_id, body };
}

function isDefinite({ operation }: PendingOperation, error: unknown): boolean {
  if (!(error instanceof ApiError) || !isErrorCode(error.code)) return false;
  return saidOfTheRequest.has(error.code) || (endpoints.get(operation)?.errors.includes(error.code) ?? false);
}

function stillPending(operation: PendingOperation, cause: unknown): unknown {
  if (!(cause instanceof PlatformError)) return cause;
  return new OperationPendingError(
    operation.operation_id,
    `It is not known whether "${operation.operation}" took effect (${cause.message}). It is kept with its operation id: orders.resume() sends it again, and it has one effect at most.`,
    cause,
  );
}
