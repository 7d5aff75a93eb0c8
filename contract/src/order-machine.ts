import type { ErrorCode } from './error-codes.ts';
import type { OrderAction, OrderOutcome, OrderState } from './operations/order.ts';
import { orderActions } from './order-states.ts';

/**
 * Who may make a transition. The recipient is the participant that did not make the offer; the approver is the one
 * that did not propose the refund.
 */
export type OrderActor = 'author' | 'recipient' | 'customer' | 'contractor' | 'participant' | 'approver';

/** How a transition moves the total: into the customer's reserve, from it to contractor and platform, or back. */
export type MoneyMovement = 'reserve' | 'payout' | 'refund';

/** A row of the table in §6.39. */
export interface OrderTransition {
  readonly action: OrderAction;
  readonly from: readonly OrderState[];
  readonly by: OrderActor;
  readonly to: OrderState;
  readonly outcome: OrderOutcome | null;
  readonly money: MoneyMovement | null;
}

const unended = ['funded', 'in_progress', 'delivered'] as const;

/** All transitions of an order, one per action. The server also checks conditions other than actor and state. */
export const orderTransitions = {
  accept: step('accept', ['offered'], 'recipient', 'funded', { money: 'reserve' }),
  cancel: step('cancel', ['offered'], 'author', 'cancelled'),
  reject: step('reject', ['offered'], 'recipient', 'rejected'),
  start: step('start', ['funded'], 'contractor', 'in_progress'),
  deliver: step('deliver', ['in_progress'], 'contractor', 'delivered'),
  complete: step('complete', ['delivered'], 'customer', 'closed', { outcome: 'accepted', money: 'payout' }),
  dispute: step('dispute', unended, 'participant', 'disputed'),
  'propose-refund': step('propose-refund', [...unended, 'disputed'], 'participant', 'disputed'),
  'approve-refund': step('approve-refund', ['disputed'], 'approver', 'closed', {
    outcome: 'refunded',
    money: 'refund',
  }),
} as const satisfies Record<OrderAction, OrderTransition>;

/** The actions that an order allows in a state. */
export type ActionInState<State extends OrderState> = {
  [Action in OrderAction]: State extends (typeof orderTransitions)[Action]['from'][number] ? Action : never;
}[OrderAction];

/** The members of an order that determine the possible actions; an order from the API has all of them. */
export interface OrderDecisionFields {
  readonly state: OrderState;
  readonly version: number;
  readonly author_id: string;
  readonly customer: { readonly id: string };
  readonly contractor: { readonly id: string };
  readonly refund_proposal: { readonly proposed_by: string } | null;
}

/** Why an order does not allow an action. */
export type OrderRefusal = Extract<
  ErrorCode,
  | 'counterparty_required'
  | 'forbidden'
  | 'version_conflict'
  | 'state_conflict'
  | 'refund_proposal_exists'
  | 'refund_not_proposed'
>;

/** The result of an action: its transition, or the code that refuses it. */
export type OrderDecision =
  | { readonly allowed: true; readonly transition: OrderTransition }
  | { readonly allowed: false; readonly code: OrderRefusal };

/** An action that a participant requests, with the order version on which the decision is based. */
export interface RequestedAction {
  readonly action: OrderAction;
  readonly actorId: string;
  readonly expectedVersion: number;
}

/**
 * Decides whether an order allows an action. Refusals have a fixed order (§8.11): the actor, the version, the state,
 * then the refund proposal. Friendship, deadline, price and funds are checked later and are unknown here.
 */
export function decideOrderAction(order: OrderDecisionFields, wanted: RequestedAction): OrderDecision {
  const transition: OrderTransition = orderTransitions[wanted.action];
  const code =
    findActorFault(order, transition.by, wanted.actorId) ??
    (wanted.expectedVersion === order.version ? undefined : 'version_conflict') ??
    (transition.from.includes(order.state) ? undefined : 'state_conflict') ??
    findProposalFault(order, wanted.action);
  return code === undefined ? { allowed: true, transition } : { allowed: false, code };
}

/** The actions that an order currently allows an agent, as far as the order determines them; none for outsiders. */
export function allowedActions(order: OrderDecisionFields, agentId: string): readonly OrderAction[] {
  return orderActions.filter(
    (action) => decideOrderAction(order, { action, actorId: agentId, expectedVersion: order.version }).allowed,
  );
}

/** Whether the state of an order is final. */
export function isFinal(state: OrderState): boolean {
  return orderActions.every((action) => !(orderTransitions[action].from as readonly OrderState[]).includes(state));
}

// The types keep the literal values, because `ActionInState` derives from them the actions that a state allows.
function step<Action extends OrderAction, const From extends readonly OrderState[]>(
  action: Action,
  from: From,
  by: OrderActor,
  to: OrderState,
  effect: { readonly outcome?: OrderOutcome; readonly money?: MoneyMovement } = {},
): OrderTransition & { readonly action: Action; readonly from: From } {
  return { action, from, by, to, outcome: effect.outcome ?? null, money: effect.money ?? null };
}

// If the other participant has to act, the code is `counterparty_required`; for other wrong roles `forbidden` (§6.41).
function findActorFault(order: OrderDecisionFields, by: OrderActor, actorId: string): OrderRefusal | undefined {
  const { author_id, customer, contractor, refund_proposal } = order;
  if (actorId !== customer.id && actorId !== contractor.id) return 'forbidden';
  if (by === 'participant') return undefined;
  if (by === 'recipient') return actorId === author_id ? 'counterparty_required' : undefined;
  if (by === 'approver') return actorId === refund_proposal?.proposed_by ? 'counterparty_required' : undefined;
  const actors = { author: author_id, customer: customer.id, contractor: contractor.id };
  return actorId === actors[by] ? undefined : 'forbidden';
}

function findProposalFault(order: OrderDecisionFields, action: OrderAction): OrderRefusal | undefined {
  if (action === 'propose-refund' && order.refund_proposal !== null) return 'refund_proposal_exists';
  if (action === 'approve-refund' && order.refund_proposal === null) return 'refund_not_proposed';
  return undefined;
}
