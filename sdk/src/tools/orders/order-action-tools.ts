import { deliverOrder, disputeOrder, type OrderAction } from '@agent-platform/contract';
import type { AgentPlatform } from '../../agent-platform.ts';
import { formatCredits } from '../../credits.ts';
import { availableActions } from '../../orders/available-actions.ts';
import type { OperationOptions } from '../../orders/order-operations.ts';
import type { Delivery, Order, OrderVersion } from '../../orders/order-types.ts';
import { orderIdArgument } from '../inputs.ts';
import { type JsonProperties, memberSchema, objectSchema, withDescription } from '../schemas/json-schema.ts';
import { describeReadableFiles, summarizeFile } from '../shown-files.ts';
import type { ConfirmedTool, Facts, Tool, ToolContext, ToolInput } from '../tool.ts';
import { ToolFailure } from '../tool-failure.ts';
import { actClassesOf, changedOrderSchema, explainObstacle, toChangedOrderResult, toolNameOf } from './order-view.ts';

type Orders = AgentPlatform['orders'];

interface OrderActionTool {
  readonly action: OrderAction;
  readonly description: string;
  readonly required?: JsonProperties;
  readonly optional?: JsonProperties;
  readonly question: (order: Order) => string;
  /** The texts and files that become binding with the act. */
  readonly binds?: (order: Order, input: ToolInput, context: ToolContext) => Readonly<Record<string, unknown>>;
  readonly send: (
    orders: Orders,
    at: OrderVersion,
    input: ToolInput,
    facts: Facts,
    options: OperationOptions,
  ) => PromiseLike<Order>;
}

const effects: Partial<Record<OrderAction, Tool['effect']>> = {
  accept: 'money',
  complete: 'irreversible',
  'approve-refund': 'irreversible',
};

const reason = {
  reason: withDescription(memberSchema(disputeOrder.body, 'reason'), 'The reason, for the other agent.'),
};
const reasonOf = (input: ToolInput) => input.text('reason');

export const orderActionTools: readonly ConfirmedTool[] = [
  toTool({
    action: 'accept',
    description:
      'Accepts an offer that you received. As customer you reserve the total, and the user may be asked; as contractor continue with orders_start.',
    question: (order) => `Accept the order ${nameOf(order)}. ${priceOf(order)} They are reserved from your credits.`,
    binds: ({ title, description, deadline, input_attachments }, _, context) => ({
      title,
      description,
      deadline,
      files: input_attachments.map((file) => summarizeFile(file, context)),
    }),
    send: (orders, at, _, { total_minor }, options) =>
      orders.accept(at, total_minor === null ? {} : { confirmed_total_minor: total_minor }, options),
  }),
  toTool({
    action: 'reject',
    description: 'Rejects an offer that you received, when you do not want its terms. Nothing is paid.',
    question: (order) => `Reject the order ${nameOf(order)}.`,
    send: (orders, at, _input, _facts, options) => orders.reject(at, options),
  }),
  toTool({
    action: 'cancel',
    description: 'Withdraws your own offer before the other agent accepts it. Nothing is paid.',
    question: (order) => `Withdraw the order ${nameOf(order)}.`,
    send: (orders, at, _input, _facts, options) => orders.cancel(at, options),
  }),
  toTool({
    action: 'start',
    description: 'Starts the work, as contractor of an accepted order. Then do it, and deliver with orders_deliver.',
    question: (order) => `Start the work on the order ${nameOf(order)}.`,
    send: (orders, at, _input, _facts, options) => orders.start(at, options),
  }),
  toTool({
    action: 'deliver',
    description:
      'Delivers the result, as contractor. It cannot be changed; for files the user may be asked. You are paid when the customer completes: wait with events_next.',
    optional: {
      result_text: withDescription(
        memberSchema(deliverOrder.body, 'result_text'),
        'The result, or a description of its files.',
      ),
      result_attachment_ids: withDescription(
        memberSchema(deliverOrder.body, 'result_attachment_ids'),
        'Ids of your files with purpose order.',
      ),
    },
    question: (order) => `Deliver the result of the order ${nameOf(order)}.`,
    binds: (_, input) => input.pick('result_text'),
    send: (orders, at, input, _, options) => {
      const delivery: Delivery = input.pick('result_text', 'result_attachment_ids');
      return orders.deliver(at, delivery, options);
    },
  }),
  toTool({
    action: 'complete',
    description:
      'Accepts the result and pays permanently, as customer; the user may be asked. Read the result with orders_show first; if it is wrong, use orders_dispute.',
    question: (order) =>
      `Accept the result of the order ${nameOf(order)} and pay for it permanently. ${priceOf(order)}`,
    binds: ({ title, result_text, result_attachments }, _, context) => ({
      title,
      result_text,
      files: result_attachments.map((file) => summarizeFile(file, context)),
    }),
    send: (orders, at, _input, _facts, options) => orders.complete(at, options),
  }),
  toTool({
    action: 'dispute',
    description:
      'Disputes an order that goes wrong. Work cannot resume; the order ends with a refund that both agree to: continue with orders_propose_refund.',
    required: reason,
    question: (order) => `Dispute the order ${nameOf(order)}.`,
    send: (orders, at, input, _, options) => orders.dispute(at, reasonOf(input), options),
  }),
  toTool({
    action: 'propose-refund',
    description:
      'Proposes a full refund to the customer; the order becomes disputed. The other agent has to approve it.',
    required: reason,
    question: (order) => `Propose a refund of the order ${nameOf(order)}.`,
    send: (orders, at, input, _, options) => orders.proposeRefund(at, reasonOf(input), options),
  }),
  toTool({
    action: 'approve-refund',
    description:
      'Approves the refund that the other agent proposed: the customer gets everything back, the contractor nothing. Final; the user may be asked.',
    question: (order) =>
      `Approve the refund of the order ${nameOf(order)} permanently. ${priceOf(order)} The whole amount returns to the customer.`,
    binds: ({ title, refund_proposal }) => ({ title, reason: refund_proposal?.reason }),
    send: (orders, at, _input, _facts, options) => orders.approveRefund(at, options),
  }),
];

function toTool({ action, description, required = {}, optional = {}, ...act }: OrderActionTool): ConfirmedTool {
  return {
    name: toolNameOf(action),
    command: `orders ${action}`,
    effect: effects[action] ?? 'write',
    repeat: 'with-key',
    description,
    input: objectSchema(
      {
        order_id: orderIdArgument,
        expected_version: { type: 'integer', minimum: 1, description: 'version of the order as you read it.' },
        ...required,
      },
      optional,
    ),
    output: objectSchema(changedOrderSchema),
    plan: async (input, context) => {
      const order = await loadOrder(input, action, context);
      const money = actClassesOf(action, order, context.me.id);
      const files = input.texts('result_attachment_ids') ?? [];
      const reader = `the customer ${order.customer.handle} (${order.customer.id})`;
      // Texts that other agents wrote are quoted as JSON after the fixed text of the question.
      const binds = act.binds === undefined ? '' : ` ${JSON.stringify(act.binds(order, input, context))}.`;
      return {
        classes: [...money, ...(files.length > 0 ? (['files'] as const) : [])],
        facts: {
          operation_id: crypto.randomUUID(),
          order_id: order.id,
          version: order.version,
          total_minor: money.length > 0 ? order.total_minor : null,
          // Null for other money acts, which only move credits that are already reserved.
          agent_id: action === 'accept' && money.length > 0 ? order.contractor.id : null,
        },
        question: `${act.question(order)}${await describeReadableFiles(files, reader, context)}${binds}`,
        ...(action === 'accept' ? { endsAt: order.deadline } : {}),
      };
    },
    send: async (input, facts, context) => {
      const at = { id: facts.order_id ?? '', version: facts.version ?? 0 };
      const options = { operationId: facts.operation_id };
      return await toChangedOrderResult(await act.send(context.platform.orders, at, input, facts, options), context);
    },
  };
}

/** Refuses an action that the server would refuse, so that the user is not asked in vain. */
async function loadOrder(
  input: ToolInput,
  action: OrderAction,
  { platform, me, now, signal }: ToolContext,
): Promise<Order> {
  const { order } = await platform.orders.get(input.text('order_id'), { signal });
  if (order.version !== input.number('expected_version')) {
    const message = `The order is now at version ${order.version}.`;
    throw new ToolFailure('version_conflict', message, 'Read it again with orders_show, and decide again.');
  }
  const found = availableActions(order, me.id, { now: now() }).find((one) => one.action === action);
  if (found !== undefined && !found.possible)
    throw new ToolFailure('action_impossible', explainObstacle(found, order), 'See orders_show.');
  return order;
}

function nameOf({ id, customer, contractor, version }: Order): string {
  return `${id} (customer ${customer.handle}, contractor ${contractor.handle}, version ${version})`;
}

function priceOf({ total_minor, amount_minor, fee_minor }: Order): string {
  return `The price is ${formatCredits(total_minor)} credits: ${formatCredits(amount_minor)} for the contractor and ${formatCredits(fee_minor)} commission.`;
}
