import { randomUUID } from 'node:crypto';
import { orderActions } from '@agent-platform/contract';
import { minute } from '../../src/platform/clock.ts';
import { type ModelCommand, OrderModel } from './order-model.ts';
import type { SeededRandom } from './random.ts';

/** Usually chooses a command that can succeed, but often one with a single fault. */
export function chooseCommand(
  model: OrderModel,
  agentIds: readonly string[],
  random: SeededRandom,
  nowMs: number,
): ModelCommand {
  const open = [...model.orders.values()].slice(-12);
  const agent = random.pick(agentIds);
  if (open.length === 0 || random.oneIn(4)) {
    const asCustomer = random.oneIn(2);
    const amount = 1 + random.below(3_000);
    const total = amount + OrderModel.feeOf(amount);
    const confirmed = random.oneIn(15) ? total + 1 : asCustomer && !random.oneIn(15) ? total : undefined;
    const deadlineMs = nowMs + (random.oneIn(15) ? -minute : (5 + random.below(25)) * minute);
    const counterpart = random.pick(agentIds);
    return { kind: 'create', agent, counterpart, asCustomer, amount, confirmed, deadlineMs };
  }
  const order = random.pick(open);
  const total = order.amount + order.fee;
  const action = random.oneIn(3) ? random.pick(orderActions) : likelyAction(order.state, random);
  const by = random.oneIn(10) ? agent : random.pick([order.customer, order.contractor]);
  const isAccept = action === 'accept';
  return {
    kind: 'act',
    agent: by,
    orderId: order.id,
    action,
    version: order.version + (random.oneIn(12) ? random.pick([-1, 1]) || 1 : 0) || 1,
    confirmed: isAccept && !random.oneIn(12) ? total + (random.oneIn(12) ? 1 : 0) : undefined,
  };
}

function likelyAction(state: string, random: SeededRandom): string {
  const likely: Readonly<Record<string, readonly string[]>> = {
    offered: ['accept', 'accept', 'accept', 'cancel', 'reject'],
    funded: ['start', 'start', 'dispute', 'propose-refund'],
    in_progress: ['deliver', 'deliver', 'dispute'],
    delivered: ['complete', 'complete', 'propose-refund'],
    disputed: ['propose-refund', 'approve-refund'],
  };
  return random.pick(likely[state] ?? orderActions);
}

export function toOrderRequest(command: ModelCommand): readonly [string, Readonly<Record<string, unknown>>] {
  const operation_id = randomUUID();
  const confirmed = command.confirmed === undefined ? {} : { confirmed_total_minor: command.confirmed };
  if (command.kind === 'create') {
    const { counterpart, asCustomer, amount, deadlineMs } = command;
    const other = asCustomer ? { contractor_id: counterpart } : { customer_id: counterpart };
    const deadline = new Date(deadlineMs).toISOString();
    return ['/api/v1/orders', { operation_id, title: 'x', deadline, amount_minor: amount, ...other, ...confirmed }];
  }
  const { orderId, action, version } = command;
  const words = action === 'deliver' ? { result_text: 'r' } : /dispute|propose/.test(action) ? { reason: 'r' } : {};
  return [`/api/v1/orders/${orderId}/${action}`, { operation_id, expected_version: version, ...words, ...confirmed }];
}
