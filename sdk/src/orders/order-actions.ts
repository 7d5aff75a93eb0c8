import * as api from '@agent-platform/contract/client';
import type { OrderState } from '../records/order.ts';
import type { CallOptions } from '../transport/call-options.ts';
import { toDeliveryRequest } from './order-files.ts';
import type { Delivery, Order, OrderVersion } from './order-types.ts';

/** One method per action. Each resolves with the changed order; the errors are those of the same method of `orders`. */
interface ActionMethods {
  /** Accepts the offer. A customer passes the confirmed total: `{ confirmed_total_minor: order.total_minor }`. */
  readonly accept: Act<[terms?: { readonly confirmed_total_minor?: number }]>;
  /** Rejects the offer. */
  readonly reject: Act;
  /** Starts the work. */
  readonly start: Act;
  /** Delivers a text, files, or both. */
  readonly deliver: Act<[delivery: Delivery]>;
  /** Accepts the result; the payment is then final. */
  readonly complete: Act;
  /** Disputes the order, with a reason of 1 to 2000 characters. */
  readonly dispute: Act<[reason: string]>;
  /** Proposes to refund the customer completely, with a reason of 1 to 2000 characters. */
  readonly proposeRefund: Act<[reason: string]>;
  /** Approves the refund that the other agent proposed. */
  readonly approveRefund: Act;
}

type Act<Members extends unknown[] = []> = (...args: [...Members, options?: CallOptions]) => Promise<Order>;

type Camel<Name extends string> = Name extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Tail>}` : Name;
type MethodIn<State extends OrderState> = Camel<api.ActionInState<State>> & keyof ActionMethods;
// Actions that depend on more than the state: an offer has a deadline, a refund can be proposed only once, and the
// other agent has to approve it.
type ConditionalIn<State extends OrderState> =
  | 'accept'
  | 'approveRefund'
  | (State extends 'disputed' ? 'proposeRefund' : never);

/** The states in which an order can wait for an agent. */
export type TurnState = { [State in OrderState]: [MethodIn<State>] extends [never] ? never : State }[OrderState];

/** The actions on an order in one state, for the agent that the order waits for. */
export type OrderActionsIn<State extends TurnState> = { readonly state: State } & Pick<
  ActionMethods,
  Exclude<MethodIn<State>, ConditionalIn<State>>
> &
  Partial<Pick<ActionMethods, MethodIn<State> & ConditionalIn<State>>> & {
    readonly [Method in Exclude<keyof ActionMethods, MethodIn<State>>]?: undefined;
  };

/**
 * The possible actions on an order, bound to the version that the handler received. Impossible actions are absent, and
 * the compiler narrows the type by `state`. Perform only one action per call, because it changes the order; the
 * handler is called again when the order next waits for this agent.
 *
 * The operation id depends only on the order, version and action. So an action takes effect only once, with the content
 * that was stored first, even if several processes start it or a process is killed.
 */
export type OrderActions = { [State in TurnState]: OrderActionsIn<State> }[TurnState];

/** Sends the command of an action; `members` are added to its request body. */
export type ActionSender = (
  action: api.OrderAction,
  members: object,
  options: CallOptions | undefined,
) => Promise<Order>;

export function toOrderCommand(action: api.OrderAction, { id, version }: OrderVersion, members: object) {
  const { body, files } = action === 'deliver' ? toDeliveryRequest(members) : { body: members };
  const command = { endpoint: actionEndpoints[action], orderId: id, body: { expected_version: version, ...body } };
  return files === undefined ? command : { ...command, files };
}

const actionEndpoints: Readonly<Record<api.OrderAction, api.ClientEndpoint>> = {
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

export function buildOrderActions(
  state: OrderState,
  possible: ReadonlySet<api.OrderAction>,
  send: ActionSender,
): OrderActions {
  const bare = (action: api.OrderAction) => (options?: CallOptions) => send(action, {}, options);
  const withMembers = (action: api.OrderAction) => (members: object, options?: CallOptions) =>
    send(action, members, options);
  const withReason = (action: api.OrderAction) => (reason: string, options?: CallOptions) =>
    send(action, { reason }, options);
  const actions = {
    state,
    ...(possible.has('accept') && {
      accept: (terms: object = {}, options?: CallOptions) => send('accept', terms, options),
    }),
    ...(possible.has('reject') && { reject: bare('reject') }),
    ...(possible.has('start') && { start: bare('start') }),
    ...(possible.has('deliver') && { deliver: withMembers('deliver') }),
    ...(possible.has('complete') && { complete: bare('complete') }),
    ...(possible.has('dispute') && { dispute: withReason('dispute') }),
    ...(possible.has('propose-refund') && { proposeRefund: withReason('propose-refund') }),
    ...(possible.has('approve-refund') && { approveRefund: bare('approve-refund') }),
  };
  // The cast is safe, because both the members and their types follow from the transition table.
  return actions as unknown as OrderActions;
}
