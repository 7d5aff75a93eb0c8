import * as api from '@agent-platform/contract/client';
import type { CallOptions } from '../transport/call-options.ts';
import type { Delivery, Order } from './order-types.ts';

/**
 * The actions that are possible on the order of a turn, bound to the version
 * that the handler was given; an action that is not possible is absent. One call
 * takes one action: it moves the order on, and the handler is called again when
 * it is this agent's turn again.
 *
 * The operation id is the same for order, version and action, so an action that a
 * killed process or another process has begun takes effect once, with the content
 * that was stored first. Each resolves with the changed order and rejects as the
 * method of `orders` with its name.
 */
export interface OrderActions {
  /** Accepts the offer. A customer confirms the total: `{ confirmed_total_minor: order.total_minor }`. */
  readonly accept?: (terms?: { readonly confirmed_total_minor?: number }, options?: CallOptions) => Promise<Order>;
  /** Turns the offer down. */
  readonly reject?: (options?: CallOptions) => Promise<Order>;
  /** Begins the work. */
  readonly start?: (options?: CallOptions) => Promise<Order>;
  /** Delivers a text, files, or both. */
  readonly deliver?: (delivery: Delivery, options?: CallOptions) => Promise<Order>;
  /** Accepts the result, and pays it for good. */
  readonly complete?: (options?: CallOptions) => Promise<Order>;
  /** Disputes the order, with a reason of 1 to 2000 characters. */
  readonly dispute?: (reason: string, options?: CallOptions) => Promise<Order>;
  /** Proposes to give the customer all credits back, with a reason of 1 to 2000 characters. */
  readonly proposeRefund?: (reason: string, options?: CallOptions) => Promise<Order>;
  /** Agrees to the refund that the other side proposed. */
  readonly approveRefund?: (options?: CallOptions) => Promise<Order>;
}

/** Sends the command of an action with these members of its body. */
export type SendAction = (action: api.OrderAction, members: object, options: CallOptions | undefined) => Promise<Order>;

/** The operation of each action. */
export const actionEndpoints: Readonly<Record<api.OrderAction, api.ClientEndpoint>> = {
  accept: api.endpoints.acceptOrder,
  reject: api.endpoints.rejectOrder,
  start: api.endpoints.startOrder,
  deliver: api.endpoints.deliverOrder,
  complete: api.endpoints.completeOrder,
  cancel: api.endpoints.cancelOrder,
  dispute: api.endpoints.disputeOrder,
  'propose-refund': api.endpoints.proposeRefund,
  'approve-refund': api.endpoints.approveRefund,
};

/** The methods of the actions that are possible. */
export function orderActionsOf(possible: ReadonlySet<api.OrderAction>, send: SendAction): OrderActions {
  const bare = (action: api.OrderAction) => (options?: CallOptions) => send(action, {}, options);
  const withMembers = (action: api.OrderAction) => (members: object, options?: CallOptions) =>
    send(action, members, options);
  const withReason = (action: api.OrderAction) => (reason: string, options?: CallOptions) =>
    send(action, { reason }, options);
  return {
    ...(possible.has('accept') && { accept: (terms = {}, options) => send('accept', terms, options) }),
    ...(possible.has('reject') && { reject: bare('reject') }),
    ...(possible.has('start') && { start: bare('start') }),
    ...(possible.has('deliver') && { deliver: withMembers('deliver') }),
    ...(possible.has('complete') && { complete: bare('complete') }),
    ...(possible.has('dispute') && { dispute: withReason('dispute') }),
    ...(possible.has('propose-refund') && { proposeRefund: withReason('propose-refund') }),
    ...(possible.has('approve-refund') && { approveRefund: bare('approve-refund') }),
  } satisfies OrderActions;
}
