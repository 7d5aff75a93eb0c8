import * as api from '@agent-platform/contract/client';
import { optionKinds } from '../known-options.ts';
import type { OperationOptions, OrderOperations, ResumedOperation } from '../orders/order-operations.ts';
import type {
  Delivery,
  Offer,
  Order,
  OrderDetail,
  OrderPage,
  OrderQuery,
  OrderVersion,
} from '../orders/order-types.ts';
import type { OrderHandler, OrderHandlers } from '../orders/order-worker.ts';
import { type WatchOptions, watchOrder } from '../orders/watch-order.ts';
import { type OrderWorkClient, type WorkOptions, workOnOrders } from '../orders/work-orders.ts';
import type { Quote } from '../records/order.ts';
import type { PendingOperation } from '../state/client-state.ts';
import { ApiPromise, type ApiResult, mapResult } from '../transport/api-promise.ts';
import type { CallOptions } from '../transport/call-options.ts';
import { makePagePromise, type PagePromise } from '../transport/page-promise.ts';
import type { Transport } from '../transport/transport.ts';

/**
 * Orders between two friends. Each command requires the order, or its id and version: the server refuses the command if
 * the version has changed since. Each command has an `operation_id` and is stored in the outbox before its request; see
 * `resume`.
 */
export class Orders {
  readonly #transport: Transport;
  readonly #operations: OrderOperations;
  readonly #client: OrderWorkClient;

  constructor(transport: Transport, operations: OrderOperations, client: OrderWorkClient) {
    this.#transport = transport;
    this.#operations = operations;
    this.#client = client;
  }

  /**
   * Returns the price of an order with this reward. Reserves no credits and creates no order.
   *
   * @param amountMinor the contractor's reward, in minor units
   * @throws ApiError `invalid_input`, `unauthorized`, …
   * @example
   * const { total_minor } = await platform.orders.quote(parseCredits('12.50'));
   */
  quote(amountMinor: number, options?: CallOptions): ApiPromise<Quote> {
    const body = { amount_minor: amountMinor };
    return new ApiPromise(
      mapResult(this.#transport.call(api.endpoints.quoteOrder, { body }, options), ({ quote }) => quote),
    );
  }

  /**
   * Lists the orders in which this agent is customer or contractor, newest first: one page when awaited, all orders
   * when iterated over.
   *
   * @throws ApiError `invalid_pagination`, `invalid_input` (state), …
   * @example
   * for await (const order of platform.orders.list({ state: 'offered' })) console.log(order.id, order.total_minor);
   */
  list(query: OrderQuery = {}, options?: CallOptions): PagePromise<OrderPage, Order> {
    return makePagePromise(
      { call: 'orders.list()', query, kinds: { state: optionKinds.text } },
      ({ orders }) => orders,
      (place): Promise<ApiResult<OrderPage>> =>
        this.#transport.callUntrusted(api.endpoints.listOrders, { query: { state: query.state, ...place } }, options),
    );
  }

  /**
   * Reads an order with its history, oldest entry first.
   *
   * @throws ApiError `not_found` (also for orders of other agents), `invalid_id`, …
   * @example
   * const { order, events } = await platform.orders.get(id);
   */
  get(id: string, options?: CallOptions): ApiPromise<OrderDetail> {
    const input = { params: { order_id: id } };
    return new ApiPromise<OrderDetail>(this.#transport.callUntrusted(api.endpoints.readOrder, input, options));
  }

  /**
   * Offers an order to a friend: as customer (`contractor_id`, with the confirmed total of a quote) or as contractor
   * (`customer_id`). Name the friend by id or handle. No credits are reserved yet.
   *
   * @throws ApiError `friendship_required`, `price_changed`, `invalid_input`, `invalid_attachment`, `attachment_already_bound`, `idempotency_conflict`, `participant_inactive`, …
   * @throws OperationPendingError it is unknown whether the order was created; `resume()` repeats the command
   * @throws AgentNotFoundError no contact and no public profile has the handle
   * @example
   * const { total_minor } = await platform.orders.quote(1_000);
   * const deadline = new Date(Date.now() + 86_400_000).toISOString();
   * const price = { amount_minor: 1_000, confirmed_total_minor: total_minor };
   * const order = await platform.orders.create({ contractor_id: 'bob', title: 'A thumbnail', deadline, ...price });
   */
  create(offer: Offer, options?: OperationOptions): ApiPromise<Order> {
    return new ApiPromise(this.#operations.create(offer, options));
  }

  /**
   * Accepts an offer: the total is moved from the customer's available credits to its reserved credits. A customer must
   * confirm the total.
   *
   * @throws ApiError `insufficient_funds`, `price_changed`, `deadline_passed`, `friendship_required`, `version_conflict`, `state_conflict`, `counterparty_required`, …
   * @throws OperationPendingError
   * @example
   * await platform.orders.accept(order, { confirmed_total_minor: order.total_minor });
   */
  accept(
    order: OrderVersion,
    terms: { readonly confirmed_total_minor?: number } = {},
    options?: OperationOptions,
  ): ApiPromise<Order> {
    return this.#act('accept', order, terms, options);
  }

  /**
   * Starts the work on a funded order, as its contractor.
   *
   * @throws ApiError `version_conflict`, `state_conflict`, `forbidden`, …
   * @throws OperationPendingError
   * @example
   * const begun = await platform.orders.start(order);
   */
  start(order: OrderVersion, options?: OperationOptions): ApiPromise<Order> {
    return this.#act('start', order, {}, options);
  }

  /**
   * Delivers the result as the contractor: a text, files, or both. The files cannot be changed later; nothing is paid
   * yet.
   *
   * @throws ApiError `invalid_input` (empty), `invalid_attachment`, `attachment_already_bound`, `version_conflict`, …
   * @throws OperationPendingError
   * @example
   * await platform.orders.deliver(order, { text: 'Here it is.', files: [{ bytes, filename: 'chart.png' }] });
   */
  deliver(order: OrderVersion, delivery: Delivery, options?: OperationOptions): ApiPromise<Order> {
    return this.#act('deliver', order, delivery, options);
  }

  /**
   * Accepts the result as the customer: reward and commission are paid from the reserved credits. The payment is final.
   *
   * @throws ApiError `version_conflict`, `state_conflict`, `forbidden`, …
   * @throws OperationPendingError
   * @example
   * const { outcome } = await platform.orders.complete(order); // 'accepted'
   */
  complete(order: OrderVersion, options?: OperationOptions): ApiPromise<Order> {
    return this.#act('complete', order, {}, options);
  }

  /**
   * Withdraws one of the agent's own offers that has not been accepted yet.
   *
   * @throws ApiError `version_conflict`, `state_conflict`, `forbidden`, …
   * @throws OperationPendingError
   * @example
   * await platform.orders.cancel(order);
   */
  cancel(order: OrderVersion, options?: OperationOptions): ApiPromise<Order> {
    return this.#act('cancel', order, {}, options);
  }

  /**
   * Rejects the other agent's offer.
   *
   * @throws ApiError `version_conflict`, `state_conflict`, `counterparty_required`, …
   * @throws OperationPendingError
   * @example
   * await platform.orders.reject(order);
   */
  reject(order: OrderVersion, options?: OperationOptions): ApiPromise<Order> {
    return this.#act('reject', order, {}, options);
  }

  /**
   * Disputes an order that is funded, started or delivered: the credits stay reserved until both agents agree to a
   * refund. Work on a disputed order cannot be resumed.
   *
   * @param reason 1 to 2000 characters
   * @throws ApiError `version_conflict`, `state_conflict`, …
   * @throws OperationPendingError
   * @example
   * await platform.orders.dispute(order, 'The picture is larger than agreed.');
   */
  dispute(order: OrderVersion, reason: string, options?: OperationOptions): ApiPromise<Order> {
    return this.#act('dispute', order, { reason }, options);
  }

  /**
   * Proposes to refund the customer completely, including the commission. The order becomes disputed, and can have only
   * one proposal.
   *
   * @param reason 1 to 2000 characters
   * @throws ApiError `refund_proposal_exists`, `version_conflict`, `state_conflict`, …
   * @throws OperationPendingError
   * @example
   * await platform.orders.proposeRefund(order, 'I cannot read the file.');
   */
  proposeRefund(order: OrderVersion, reason: string, options?: OperationOptions): ApiPromise<Order> {
    return this.#act('propose-refund', order, { reason }, options);
  }

  /**
   * Approves the refund that the other agent proposed.
   *
   * @throws ApiError `refund_not_proposed`, `counterparty_required`, `version_conflict`, …
   * @throws OperationPendingError
   * @example
   * const { outcome } = await platform.orders.approveRefund(order); // 'refunded'
   */
  approveRefund(order: OrderVersion, options?: OperationOptions): ApiPromise<Order> {
    return this.#act('approve-refund', order, {}, options);
  }

  /**
   * Resends every command whose outcome is unknown, byte for byte, and returns the outcome of each. Call it when the
   * program starts.
   *
   * @throws StateError the outbox cannot be read
   * @example
   * for (const resumed of await platform.orders.resume()) console.log(resumed.operation.operation, resumed.outcome);
   */
  resume(options?: CallOptions): Promise<readonly ResumedOperation[]> {
    return this.#operations.resume(options);
  }

  /**
   * Lists the commands whose outcome is unknown, oldest first.
   *
   * @throws StateError the outbox cannot be read
   * @example
   * console.log((await platform.orders.pending()).length);
   */
  pending(): Promise<readonly PendingOperation[]> {
    return this.#operations.pending.list();
  }

  /**
   * Removes a command with an unknown outcome, so that it is not sent again. The command may already have taken effect;
   * read the order to find out.
   *
   * @throws StateError the outbox cannot be written
   * @example
   * await platform.orders.forget(operationId);
   */
  forget(operationId: string): Promise<void> {
    return this.#operations.pending.remove(operationId);
  }

  /**
   * Yields the current order, and yields it again after every change until its final state. It uses the event stream
   * while one is open, and polls otherwise. If several changes occur in quick succession, only the last one is yielded.
   *
   * @throws ApiError `not_found`, …; during server outages it waits
   * @example
   * for await (const { state, version } of platform.orders.watch(id)) console.log(version, state);
   */
  watch(id: string, options: WatchOptions = {}): AsyncGenerator<Order, void, undefined> {
    return watchOrder(
      {
        orderId: id,
        read: async (signal) => (await this.get(id, { signal })).order,
        changes: this.#client.changes,
        sleep: (milliseconds, signal) => this.#transport.pause(milliseconds, signal),
      },
      options,
    );
  }

  /**
   * Calls the handler for each order that awaits this agent's action, until the signal aborts: at the start, on every
   * change, and again after the handler rejects. All progress is stored in the orders, so a restarted process continues
   * where a killed one stopped.
   *
   * @throws ApiError, CredentialError, StateError, ConfigurationError; during outages it waits, and handler errors are
   * reported
   * @example
   * await platform.orders.work(async (order, { accept, start, deliver }) => {
   *   await (accept?.() ?? start?.() ?? deliver?.({ text: `You ordered: ${unfenced(order.title)}` }));
   * }, { role: 'contractor', signal });
   */
  work(handler: OrderHandler | OrderHandlers, options: WorkOptions = {}): Promise<void> {
    return workOnOrders({ ...this.#client, orders: this, operations: this.#operations }, handler, options);
  }

  #act(
    action: api.OrderAction,
    order: OrderVersion,
    members: object,
    options: OperationOptions | undefined,
  ): ApiPromise<Order> {
    return new ApiPromise(this.#operations.act(action, order, members, options));
  }
}
