import type { OrderState } from '@agent-platform/contract';
import * as api from '@agent-platform/contract/client';

/** The fields of an `Order` that determine which actions are possible. */
export interface ActionableOrder extends api.OrderDecisionFields {
  readonly total_minor: number;
  readonly deadline: string;
}

/** Data besides the order. A check that needs an absent member is skipped. */
export interface ActionContext {
  /** The time to compare deadlines with. */
  readonly now: Date;
  /** The agent's own wallet. */
  readonly wallet?: { readonly available_minor: number } | undefined;
  /** The contact with the other agent; null if there is none. */
  readonly contact?: { readonly status: string } | null | undefined;
}

/** An action that would be accepted now, and the resulting state. */
export interface PossibleAction {
  readonly action: api.OrderAction;
  readonly possible: true;
  readonly nextState: OrderState;
}

/** Why an action is not possible: the error that the server would report first. */
export type ActionObstacle =
  /** Only another role may perform the action. */
  | { readonly reason: 'role'; readonly by: api.OrderActor }
  /** The order is not in a state that allows the action. */
  | { readonly reason: 'state'; readonly from: readonly OrderState[] }
  | { readonly reason: 'refund_proposal_exists' }
  | { readonly reason: 'refund_not_proposed' }
  /** The agents are not friends, or one has blocked the other. */
  | { readonly reason: 'friendship'; readonly status: string }
  /** The deadline has passed. */
  | { readonly reason: 'deadline'; readonly deadline: string }
  /** The available credits do not cover the total. */
  | { readonly reason: 'funds'; readonly missingMinor: number };

/** An action that would be refused now, and why. */
export type ImpossibleAction = { readonly action: api.OrderAction; readonly possible: false } & ActionObstacle;

/** Whether an agent can perform one of the nine actions now. */
export type ActionAvailability = PossibleAction | ImpossibleAction;

/**
 * Returns for each of the nine actions whether this agent can perform it now, and if not, why. Sends no request, so the
 * server may still refuse: only the server knows whether the other agent is active.
 *
 * @param me the id of this agent
 * @example
 * const now = new Date();
 * for (const next of availableActions(order, me.id, { now, wallet: await platform.wallet.get() })) {
 *   console.log(next.action, next.possible ? 'possible' : next.reason);
 * }
 */
export function availableActions(
  order: ActionableOrder,
  me: string,
  circumstances: ActionContext,
): readonly ActionAvailability[] {
  return api.orderActions.map((action): ActionAvailability => {
    const decision = api.decideOrderAction(order, { action, actorId: me, expectedVersion: order.version });
    const obstacle = decision.allowed
      ? action === 'accept' && findAcceptObstacle(order, me, circumstances)
      : toObstacle(decision.code, api.orderTransitions[action]);
    if (obstacle) return { action, possible: false, ...obstacle };
    return { action, possible: true, nextState: api.orderTransitions[action].to };
  });
}

function toObstacle(code: api.OrderRefusal, { by, from }: api.OrderTransition): ActionObstacle {
  switch (code) {
    case 'forbidden':
    case 'counterparty_required':
      return { reason: 'role', by };
    // A version conflict cannot occur, because the expected version is that of the order itself.
    case 'version_conflict':
    case 'state_conflict':
      return { reason: 'state', from };
    case 'refund_proposal_exists':
    case 'refund_not_proposed':
      return { reason: code };
  }
}

// Checks the obstacles in the same sequence as the server (§8.11).
function findAcceptObstacle(
  order: ActionableOrder,
  me: string,
  { now, wallet, contact }: ActionContext,
): ActionObstacle | undefined {
  if (contact !== undefined && contact?.status !== 'friends') {
    return { reason: 'friendship', status: contact?.status ?? 'none' };
  }
  if (Date.parse(order.deadline) <= now.getTime()) return { reason: 'deadline', deadline: order.deadline };
  if (wallet === undefined || order.customer.id !== me) return undefined;
  const missingMinor = order.total_minor - wallet.available_minor;
  return missingMinor > 0 ? { reason: 'funds', missingMinor } : undefined;
}
