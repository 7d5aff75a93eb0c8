import type { OrderAction, OrderState } from '@agent-platform/contract';
import { type ActionableOrder, availableActions } from './available-actions.ts';

/** The role of an agent in an order: the customer pays, the contractor works. */
export type OrderRole = 'customer' | 'contractor';

// These are also possible in other states, in which the other side does not wait for them.
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

/** The states in which an order can wait for a role; without a role, for either one. */
export function turnStatesOf(role: OrderRole | undefined): readonly OrderState[] {
  if (role !== undefined) return turnStates[role];
  return [...new Set([...turnStates.contractor, ...turnStates.customer])];
}

/** The role of an agent in one of its orders. */
export function roleIn({ customer }: Pick<ActionableOrder, 'customer'>, me: string): OrderRole {
  return customer.id === me ? 'customer' : 'contractor';
}

/**
 * The actions of an agent that an order is waiting for: the agent may accept or reject, has to start or deliver, has a
 * delivery to judge or a refund to approve, or may propose one in a dispute. Otherwise none: withdrawing an offer or
 * disputing running work is possible, but no order waits for that.
 */
export function turnActions(order: ActionableOrder, me: string, now: Date): ReadonlySet<OrderAction> {
  const possible = availableActions(order, me, { now }).flatMap((one) => (one.possible ? [one.action] : []));
  const isTurn = possible.some(
    (action) => answers.has(action) || (action === 'propose-refund' && order.state === 'disputed'),
  );
  return new Set(isTurn ? possible : []);
}
