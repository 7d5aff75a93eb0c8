import type { OpenedAgent } from '@agent-platform/cli-core/session/session';
import * as sdk from '@agent-platform/sdk';
import { describeActor, formatActionCommand } from './order-format.ts';
import { findOwnNextAction } from './order-turn.ts';

/** The next step after the server has refused an action, if the order determines it. */
export function explainRefusal(
  error: unknown,
  { me, io }: Pick<OpenedAgent, 'me' | 'io'>,
  order: sdk.Order,
  action: sdk.OrderAction,
): string | undefined {
  if (!(error instanceof sdk.ApiError)) return undefined;
  switch (error.code) {
    case 'forbidden':
    case 'counterparty_required': {
      const found = sdk.availableActions(order, me, { now: io.now() }).find((candidate) => candidate.action === action);
      // An agent with the required role was refused because it is suspended, which the order does not show.
      if (found === undefined || found.possible || found.reason !== 'role') return undefined;
      const role = order.customer.id === me ? 'customer' : 'contractor';
      return `${action} is only for ${describeActor(found.by)}; you are the ${role}. ${describeTurn(order, me)}`;
    }
    case 'state_conflict':
      return describeTurn(order, me);
    case 'price_changed': {
      const total = sdk.formatCredits(order.total_minor);
      return `The price of the offer does not change. Confirm it: agentp orders ${action} ${order.id} --confirm-total ${total}`;
    }
    case 'insufficient_funds':
      if (order.customer.id === me) return undefined;
      return `The customer, ${order.customer.handle}, lacks credits. Wait and repeat the command, or: ${formatActionCommand('reject', order.id)}`;
    default:
      return undefined;
  }
}

function describeTurn(order: sdk.Order, me: string): string {
  if (sdk.isFinal(order.state)) return `The order has ended: agentp orders show ${order.id}`;
  const turn = findOwnNextAction(order, me);
  if (turn !== undefined)
    return `The order is ${order.state}. Your next action: ${formatActionCommand(turn, order.id)}`;
  const other = order.customer.id === me ? order.contractor : order.customer;
  return `The order is ${order.state}, and it is the turn of ${other.handle}: agentp orders show ${order.id}`;
}
