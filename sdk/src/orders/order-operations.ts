import * as api from '@agent-platform/contract/client';
import { parseUuid } from '../crypto/uuid.ts';
import { ApiError, ConfigurationError, OperationPendingError, PlatformError, StateError } from '../errors.ts';
import { isSameJson } from '../json.ts';
import { optionKinds } from '../known-options.ts';
import type { CachedState } from '../state/cached-state.ts';
import type { PendingOperation } from '../state/client-state.ts';
import { PendingRequests } from '../state/pending-requests.ts';
import type { ApiResult } from '../transport/api-promise.ts';
import { type CallOptions, checkCallOptions } from '../transport/call-options.ts';
import type { Transport } from '../transport/transport.ts';
import { toOrderCommand } from './order-actions.ts';
import { type CommandFiles, uploadFiles } from './order-files.ts';
import type { Offer, Order, OrderVersion } from './order-types.ts';

/** Resolves an agent's id or handle to its id. */
type FindAgentId = (reference: string, options: CallOptions) => Promise<string>;

/** Options of every order command. */
export interface OperationOptions extends CallOptions {
  /**
   * The idempotency key, a UUID; random by default. A command that is repeated with the same key and content takes
   * effect once and gets the same response.
   */
  readonly operationId?: string | undefined;
}

/** The outcome of a pending command that was sent again. */
export type ResumedOperation = { readonly operation: PendingOperation } & (
  | { readonly outcome: 'done'; readonly order: Order }
  | { readonly outcome: 'refused'; readonly error: ApiError }
  | { readonly outcome: 'pending'; readonly error: PlatformError }
);

const operationOptionKinds = { operationId: optionKinds.text };

/** A command without its operation id. */
interface OrderCommand {
  readonly endpoint: api.ClientEndpoint;
  /** Null when creating an order. */
  readonly orderId: string | null;
  readonly body: object;
  readonly files?: CommandFiles;
}

const endpoints = new Map(api.operations.map((endpoint) => [endpoint.id, endpoint]));

// These codes, like those that each operation declares, depend only on the request and not on its sender or time, so a
// repeat would be refused too.
const requestErrors: ReadonlySet<api.ErrorCode> = new Set<api.ErrorCode>([
  'invalid_input',
  'invalid_id',
  'not_found',
  'body_too_large',
  'unsupported_media_type',
]);

/**
 * Sends order commands. Each is stored in the outbox, exactly as it will be sent, and removed when its outcome is
 * known.
 */
export class OrderOperations {
  /** The commands whose outcome is unknown. */
  readonly pending: PendingRequests<PendingOperation>;
  readonly #transport: Transport;
  readonly #now: () => number;
  readonly #idOf: FindAgentId;

  constructor(transport: Transport, state: CachedState, now: () => number, idOf: FindAgentId) {
    this.#transport = transport;
    this.#now = now;
    this.#idOf = idOf;
    this.pending = new PendingRequests({
      state,
      storeOf: ({ operations }) => operations,
      idOf: ({ operation_id }) => operation_id,
      fullMessage:
        'Nothing was sent, because the outbox is full of commands with unknown outcomes. Call orders.resume() when the server is available.',
    });
  }

  async create(offer: Offer, options: OperationOptions = {}): Promise<ApiResult<Order>> {
    checkCallOptions('An order command', options, operationOptionKinds);
    const { operationId: _, ...callOptions } = options;
    // Handles are resolved to ids before the command is stored, so that a repeat has the same bytes.
    const { files = [], ...body } = offer;
    if (body.customer_id !== undefined) body.customer_id = await this.#idOf(body.customer_id, callOptions);
    if (body.contractor_id !== undefined) body.contractor_id = await this.#idOf(body.contractor_id, callOptions);
    const inputs: CommandFiles = { member: 'input_attachment_ids', files };
    return await this.run({ endpoint: api.endpoints.createOrder, orderId: null, body, files: inputs }, options);
  }

  async act(
    action: api.OrderAction,
    order: OrderVersion,
    members: object,
    options?: OperationOptions,
  ): Promise<ApiResult<Order>> {
    return await this.run(toOrderCommand(action, order, members), options);
  }

  async run(command: OrderCommand, options: OperationOptions = {}): Promise<ApiResult<Order>> {
    checkCallOptions('An order command', options, operationOptionKinds);
    const { operationId: chosen = crypto.randomUUID(), ...callOptions } = options;
    const operationId = parseUuid('operationId', chosen);
    callOptions.signal?.throwIfAborted();
    const operation = await this.#toOperation(command, operationId, callOptions);
    const { isNew, stored } = await this.pending.add(operation);
    if (stored !== undefined && !isSameJson({ ...stored, kept_at: '' }, { ...operation, kept_at: '' })) {
      throw new ConfigurationError(
        `The outbox contains the operation ${operationId} with other content and an unknown outcome. Use another id, or call orders.resume() first.`,
      );
    }
    return await this.#send(operation, callOptions, !isNew);
  }

  /** Like `run`, but the first command with this id counts: if one is already stored, it is sent instead. */
  async decide(command: OrderCommand, operationId: string, options: CallOptions = {}): Promise<ApiResult<Order>> {
    checkCallOptions('An order command', options, {});
    options.signal?.throwIfAborted();
    const operation = await this.#toOperation(command, operationId, options);
    const { isNew, stored = operation } = await this.pending.add(operation);
    return await this.#send(stored, options, !isNew);
  }

  /**
   * Resends the commands of one order whose outcome is unknown.
   *
   * @returns the number of these commands
   * @throws PlatformError the outcome of a command is still unknown
   */
  async settle(orderId: string, options: CallOptions = {}): Promise<number> {
    const send = (operation: PendingOperation) => this.#send(operation, options, true);
    const resumed = await this.pending.resume(send, ({ order_id }) => order_id === orderId);
    for (const one of resumed) if (one.outcome === 'pending') throw one.error;
    return resumed.length;
  }

  /** Resends every command whose outcome is unknown, oldest first. */
  async resume(options: CallOptions = {}): Promise<readonly ResumedOperation[]> {
    checkCallOptions('orders.resume()', options, {});
    const resumed = await this.pending.resume((operation) => this.#send(operation, options, true));
    return resumed.map((one): ResumedOperation => {
      const { entry: operation } = one;
      if (one.outcome === 'done') return { operation, outcome: 'done', order: one.result.data };
      const { error } = one;
      return error instanceof ApiError
        ? { operation, outcome: 'refused', error }
        : { operation, outcome: 'pending', error };
    });
  }

  async #toOperation(
    { endpoint, orderId, body: members, files }: OrderCommand,
    operationId: string,
    options: CallOptions,
  ): Promise<PendingOperation> {
    const body: Record<string, unknown> = { ...members };
    if (files !== undefined && files.files.length > 0) {
      const uploaded = await uploadFiles(this.#transport, operationId, files.files, this.#now(), options);
      const named = body[files.member];
      body[files.member] = [...(Array.isArray(named) ? named : []), ...uploaded];
    }
    return {
      operation_id: operationId,
      operation: endpoint.id,
      order_id: orderId,
      body: { operation_id: operationId, ...body },
      kept_at: new Date(this.#now()).toISOString(),
    };
  }

  async #send(operation: PendingOperation, options: CallOptions, isRepeat: boolean): Promise<ApiResult<Order>> {
    let mayHaveArrived = isRepeat;
    const onUnclear = () => {
      mayHaveArrived = true;
    };
    const isAborted = () => options.signal?.aborted === true;
    const isFinal = (error: unknown) => !isAborted() && (!mayHaveArrived || isDefinite(operation, error));
    try {
      return await this.pending.send(operation, () => this.#call(operation, options, onUnclear), isFinal);
    } catch (error) {
      // After an abort, the call rejects with the caller's reason, even if the outcome of earlier attempts is unknown.
      if (isAborted() || isFinal(error) || !(error instanceof PlatformError) || error instanceof StateError)
        throw error;
      throw new OperationPendingError(
        operation.operation_id,
        `It is not known whether "${operation.operation}" took effect (${error.message}). The command is stored with its operation id: orders.resume() sends it again, and it takes effect at most once.`,
        error,
      );
    }
  }

  async #call(operation: PendingOperation, options: CallOptions, onUnclear: () => void): Promise<ApiResult<Order>> {
    const endpoint = endpoints.get(operation.operation);
    if (endpoint === undefined) {
      throw new ConfigurationError(
        `The outbox contains a command "${operation.operation}", which this version does not know. Update this package.`,
      );
    }
    const { order_id, body } = operation;
    const input = order_id === null ? { body } : { params: { order_id }, body };
    const { data, response } = await this.#transport.send(endpoint, input, options, { onUnclear });
    // The response is assumed to have the type in the contract; `Untrusted` exists only as a type.
    return { data: (data as { order: Order }).order, response };
  }
}

function isDefinite({ operation }: PendingOperation, error: unknown): boolean {
  if (!(error instanceof ApiError) || !api.isErrorCode(error.code)) return false;
  return requestErrors.has(error.code) || (endpoints.get(operation)?.errors.includes(error.code) ?? false);
}
