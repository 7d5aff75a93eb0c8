import { Order, type OrderAction, type OrderActor } from '@agent-platform/contract';
import { isFinal } from '@agent-platform/contract/client';
import { formatCredits } from '../../credits.ts';
import { type ActionAvailability, availableActions } from '../../orders/available-actions.ts';
import { findTurnActions } from '../../orders/order-turn.ts';
import type { Order as OrderRecord } from '../../orders/order-types.ts';
import { nextStepsSchema } from '../inputs.ts';
import {
  arraySchema,
  type JsonSchema,
  memberSchema,
  objectSchema,
  textSchema,
  withDescription,
  withMembers,
} from '../schemas/json-schema.ts';
import { makeRecordView } from '../schemas/record-view.ts';
import type { ActClass, Result, ToolContext } from '../tool.ts';

const view = makeRecordView(Order);

// The members that an action changes or depends on. To keep results short, only orders_show returns all members.
const figures = ['id', 'state', 'version', 'total_minor', 'outcome'] as const;
const toolNames = { type: 'array', items: { type: 'string' } };

export const listedOrderSchema: JsonSchema = withMembers(view.schema, { possible: toolNames });

const steps = {
  next: nextStepsSchema,
  possible: withDescription(toolNames, 'Other tools for this order and version.'),
};

export const fullOrderSchema = {
  order: view.schema,
  ...steps,
  impossible: arraySchema(objectSchema({ tools: toolNames, reason: textSchema('Why they are not possible now.') })),
};

export const changedOrderSchema = {
  order: objectSchema(Object.fromEntries(figures.slice(0, -1).map((name) => [name, memberSchema(view.schema, name)])), {
    outcome: memberSchema(view.schema, 'outcome'),
  }),
  ...steps,
};

export function toolNameOf(action: OrderAction): string {
  return `orders_${action.replaceAll('-', '_')}`;
}

export function actClassesOf(action: OrderAction, { customer }: OrderRecord, me: string): readonly ActClass[] {
  const isMoney = action === 'complete' || action === 'approve-refund' || (action === 'accept' && customer.id === me);
  return isMoney ? ['money'] : [];
}

export function toListedOrderResult(order: OrderRecord, context: ToolContext): Result {
  const possible = availableActions(order, context.me.id, { now: context.now() }).filter(({ possible }) => possible);
  return {
    ...view.of(order, context.me.id),
    possible: possible.map(({ action }) => toolNameOf(action)).filter(context.offers),
  };
}

export async function toOrderResult(order: OrderRecord, context: ToolContext): Promise<Result> {
  const { me, offers } = context;
  const actions = await findActions(order, context);
  const reasons = new Map<string, string[]>();
  for (const action of actions) {
    if (action.possible || !offers(toolNameOf(action.action))) continue;
    const reason = explainObstacle(action, order);
    reasons.set(reason, [...(reasons.get(reason) ?? []), toolNameOf(action.action)]);
  }
  return {
    order: view.of(order, me.id),
    ...stepsOf(actions, order, context),
    impossible: [...reasons].map(([reason, tools]) => ({ tools, reason })),
  };
}

export async function toChangedOrderResult(order: OrderRecord, context: ToolContext): Promise<Result> {
  return {
    order: Object.fromEntries(figures.map((name) => [name, order[name]])),
    ...stepsOf(await findActions(order, context), order, context),
  };
}

// The agent's credits are read only if they decide whether an action is possible.
async function findActions(order: OrderRecord, { me, now, platform }: ToolContext) {
  const decidesMoney = order.state === 'offered' && order.customer.id === me.id && order.author_id !== me.id;
  const wallet = decidesMoney ? await platform.wallet.get().catch(() => undefined) : undefined;
  return availableActions(order, me.id, { now: now(), wallet });
}

/** Actions that the order waits for become complete calls; other possible actions are only named. */
function stepsOf(actions: readonly ActionAvailability[], order: OrderRecord, context: ToolContext) {
  const { me, now, offers } = context;
  const turn = findTurnActions(order, me.id, now());
  const possible = actions.flatMap(({ action, possible }) => (possible && offers(toolNameOf(action)) ? [action] : []));
  const toStep = (action: OrderAction) => ({
    tool: toolNameOf(action),
    arguments: { order_id: order.id, expected_version: order.version },
  });
  const isNext = (action: OrderAction) => turn.has(action) && !exits.has(action);
  return {
    next: possible.filter(isNext).map(toStep),
    possible: possible.filter((action) => !isNext(action)).map(toolNameOf),
  };
}

// Possible actions that are not suggested as next steps, because they end the order or its work.
const exits: ReadonlySet<OrderAction> = new Set(['cancel', 'dispute', 'propose-refund']);

export function explainObstacle(action: ActionAvailability & { readonly possible: false }, order: OrderRecord): string {
  if (isFinal(order.state)) return `The order is ${order.state}.`;
  switch (action.reason) {
    case 'role':
      return `It is only for ${actors[action.by]}.`;
    case 'state':
      return `It is only possible while the order is ${action.from.join(', ')}.`;
    case 'refund_proposal_exists':
      return 'A refund is already proposed.';
    case 'refund_not_proposed':
      return 'No refund is proposed.';
    case 'friendship':
      return 'You are not friends.';
    case 'deadline':
      return `The deadline has passed, ${action.deadline}.`;
    case 'funds':
      return `${formatCredits(action.missingMinor)} credits are missing.`;
  }
}

const actors: Readonly<Record<OrderActor, string>> = {
  author: 'the author of the offer',
  recipient: 'the recipient of the offer',
  customer: 'the customer',
  contractor: 'the contractor',
  participant: 'the participants of the order',
  approver: 'the participant that did not propose the refund',
};
