import * as sdk from '@agent-platform/sdk';

const steps: readonly sdk.OrderAction[] = ['accept', 'start', 'deliver', 'complete', 'approve-refund'];

/**
 * The action with which this agent would advance an order; undefined if the other participant has to act. In a dispute
 * without a proposal, either participant can advance the order by proposing a refund.
 */
export function findOwnNextAction(order: sdk.Order, me: string): sdk.OrderAction | undefined {
  const allowed = sdk.allowedActions(order, me);
  const step = steps.find((action) => allowed.includes(action));
  if (step !== undefined || order.state !== 'disputed') return step;
  return allowed.find((action) => action === 'propose-refund');
}
