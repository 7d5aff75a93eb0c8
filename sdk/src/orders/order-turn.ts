import type { OrderAction, OrderState } from '@agent-platform/contract';
import { type ActionableOrder, availableActions } from './available-actions.ts';

/** The role of an agent in an order: the customer pays, the contractor works. */
export type OrderRole = 'customer' | 'contractor';

// If one of these actions is possible, the order waits for the agent that may perform it.
const answers: ReadonlySet<OrderAction> = new Set<OrderAction>([
  'accept',
  'reject',
  'start',
  'deliver',
  'complete',
  'approve-refund',
]);

const turnStates: Readonly<Record<OrderRole, readonly OrderState[]>> = {
  customer: ['offered', 'delivered', 'disputed'],
  contractor: ['offered', 'funded', 'in_progress', 'disputed'],
};

/** The states in which an order can wait for this role; without a role, for either role. */
export function turnStatesOf(role: OrderRole | undefined): readonly OrderState[] {
  if (role !== undefined) return turnStates[role];
  return [...new Set([...turnStates.contractor, ...turnStates.customer])];
}

export function getOrderRole({ customer }: Pick<ActionableOrder, 'customer'>, me: string): OrderRole {
  return customer.id === me ? 'customer' : 'contractor';
}

/**
 * Returns the actions that are possible for an agent while the order waits for it, otherwise an empty set. The agent
 * may also withdraw an offer or dispute running work, but the order does not wait for these actions.
 */
export function findTurnActions(order: ActionableOrder, me: string, now: Date): ReadonlySet<OrderAction> {
  const possible = availableActions(order, me, { now }).flatMap((one) => (one.possible ? [one.action] : []));
  const isTurn = possible.some(
    (action) => answers.has(action) || (action === 'propose-refund' && order.state === 'disputed'),
  );
  return new Set(isTurn ? possible : []);
}
