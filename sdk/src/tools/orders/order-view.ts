import { Order, type OrderAction, type OrderActor } from '@agent-platform/contract';
import { formatCredits } from '../../credits.ts';
import { type ActionAvailability, availableActions } from '../../orders/available-actions.ts';
import type { Order as OrderRecord } from '../../orders/order-types.ts';
import { nextSteps, offered } from '../next-steps.ts';
import { arrayOf, freeText, type JsonSchema, memberOf, object, withMembers } from '../schemas/json-schema.ts';
import { untrustedView } from '../schemas/record-view.ts';
import type { ActClass, Result, ToolContext } from '../tool.ts';

const view = untrustedView(Order);

// The members that an action changes or depends on. The rest is read with orders_show, so that results stay short.
const figures = [
  'id',
  'state',
  'version',
  'amount_minor',
  'fee_minor',
  'total_minor',
  'outcome',
  'updated_at',
] as const;

/** An order in a list: with the tools that are possible now. */
export const orderInList: JsonSchema = withMembers(view.schema, {
  possible: arrayOf(freeText('A tool that you can call for this order now.')),
});

const steps = {
  next: nextSteps,
  impossible: arrayOf(object({ tool: freeText('A tool.'), reason: freeText('Why it is not possible now.') })),
};

/** An order with all its members, and the possible and the impossible actions. */
export const wholeOrder = { order: view.schema, ...steps };

/** An order after an action: its figures, and the possible and the impossible actions. */
export const changedOrder = {
  order: object(Object.fromEntries(figures.map((name) => [name, memberOf(view.schema, name)]))),
  ...steps,
};

/** The tool of an action. */
export function toolOf(action: OrderAction): string {
  return `orders_${action.replaceAll('-', '_')}`;
}

/** The description of an action for the confirmation. */
export function classesOf(action: OrderAction, { customer }: OrderRecord, me: string): readonly ActClass[] {
  const isMoney = action === 'complete' || action === 'approve-refund' || (action === 'accept' && customer.id === me);
  return isMoney ? ['money'] : [];
}

/** Shows an order of a list. */
export function showInList(order: OrderRecord, context: ToolContext): Result {
  const possible = availableActions(order, context.me.id, { now: context.now() }).filter(({ possible }) => possible);
  return { ...view.of(order), possible: possible.map(({ action }) => toolOf(action)).filter(context.offers) };
}

/** Shows an order with all its members and what can be done next. */
export async function showOrder(order: OrderRecord, context: ToolContext): Promise<Result> {
  return { order: view.of(order), ...(await findSteps(order, context)) };
}

/** Shows the order after an action, and the possible next actions. */
export async function showChange(order: OrderRecord, context: ToolContext): Promise<Result> {
  return {
    order: Object.fromEntries(figures.map((name) => [name, order[name]])),
    ...(await findSteps(order, context)),
  };
}

// The own credits count where they decide.
async function findSteps(order: OrderRecord, context: ToolContext) {
  const { me, now, platform } = context;
  const decidesMoney = order.state === 'offered' && order.customer.id === me.id && order.author_id !== me.id;
  const wallet = decidesMoney ? await platform.wallet.get().catch(() => undefined) : undefined;
  const actions = availableActions(order, me.id, { now: now(), wallet });
  return {
    next: offered(
      actions.flatMap((action) => (action.possible ? [toStep(action, order, me.id)] : [])),
      context,
    ),
    impossible: actions.flatMap((action) =>
      action.possible || !context.offers(toolOf(action.action))
        ? []
        : [{ tool: toolOf(action.action), reason: explain(action) }],
    ),
  };
}

function toStep(
  { action, nextState }: ActionAvailability & { readonly possible: true },
  order: OrderRecord,
  me: string,
) {
  const mayAsk = classesOf(action, order, me).length > 0 ? '; may need a confirmation' : '';
  return {
    tool: toolOf(action),
    arguments: { order_id: order.id, version: order.version },
    why: `The order becomes ${nextState}${mayAsk}.`,
  };
}

/** Why an action is not possible. */
export function explain(action: ActionAvailability & { readonly possible: false }): string {
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
