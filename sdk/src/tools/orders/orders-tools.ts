import { listOrders, NewOrder, OrderHistoryEntry, Quote, quoteOrder } from '@agent-platform/contract';
import { orderStates } from '@agent-platform/contract/client';
import { formatCredits } from '../../credits.ts';
import type { Offer } from '../../orders/order-types.ts';
import { loadContact } from '../contacts-tools.ts';
import { agent, page, pageSizeDefault } from '../inputs.ts';
import { arrayOf, described, memberOf, object, toJsonSchema, uuid } from '../schemas/json-schema.ts';
import { ownView, untrustedView } from '../schemas/record-view.ts';
import { describeFiles } from '../shown-files.ts';
import type { Facts, Plan, Tool, ToolContext, ToolInput } from '../tool.ts';
import { ToolFailure } from '../tool-failure.ts';
import { changedOrder, orderInList, showChange, showInList, showOrder, wholeOrder } from './order-view.ts';

const quote = ownView(Quote);
const entry = untrustedView(OrderHistoryEntry);
const terms = ['title', 'description', 'deadline', 'amount_minor'] as const;

/** The tools for orders, without the actions of an order. */
export const ordersTools: readonly Tool[] = [
  {
    name: 'orders_list',
    command: 'orders list',
    description: 'Each with the tools that are possible now.',
    input: object(
      {},
      {
        state: { ...toJsonSchema(memberOf(listOrders.query, 'state')), description: 'Only orders in this state.' },
        ...page(listOrders),
      },
    ),
    output: object({ orders: arrayOf(orderInList), next_page: memberOf(listOrders.replies[200], 'next_page') }),
    run: async (input, context) => {
      const state = orderStates.find((known) => known === input.optionalText('state'));
      const pageSize = input.optionalNumber('page_size') ?? pageSizeDefault;
      const query = { state, page: input.optionalNumber('page') ?? 1, pageSize };
      const { orders, next_page } = await context.platform.orders.list(query, { signal: context.signal });
      return { orders: orders.map((order) => showInList(order, context)), next_page };
    },
  },
  {
    name: 'orders_show',
    command: 'orders show',
    description: 'With the possible next actions, and the reason why others are not possible.',
    input: object({ order_id: uuid('The order.') }),
    output: object({ ...wholeOrder, history: arrayOf(entry.schema) }),
    run: async (input, context) => {
      const { order, events } = await context.platform.orders.get(input.text('order_id'), { signal: context.signal });
      return { ...(await showOrder(order, context)), history: events.map(entry.of) };
    },
  },
  {
    name: 'orders_quote',
    command: 'orders quote',
    description: 'The total is the reward plus commission. A quote reserves nothing.',
    input: object({ amount_minor: described(memberOf(quoteOrder.body, 'amount_minor'), 'The reward in minor units.') }),
    output: object({ quote: quote.schema }),
    run: async (input, { platform, signal }) => ({
      quote: quote.of(await platform.orders.quote(input.number('amount_minor'), { signal })),
    }),
  },
  {
    name: 'orders_create',
    command: 'orders create',
    description:
      'Pass either contractor (you pay; may need a confirmation) or customer (you work). No credits move until the other agent accepts. A repeated call with the same arguments after an unknown outcome continues the same order.',
    input: object(
      Object.fromEntries(['title', 'deadline', 'amount_minor'].map((name) => [name, memberOf(NewOrder, name)])),
      {
        description: memberOf(NewOrder, 'description'),
        contractor: described(agent, 'The friend that works; you pay.'),
        customer: described(agent, 'The friend that pays; you work.'),
        input_attachment_ids: described(
          memberOf(NewOrder, 'input_attachment_ids'),
          'Own files with the purpose order, which may need a confirmation.',
        ),
      },
    ),
    output: object(changedOrder),
    plan: planOffer,
    send: async (input, facts, context) => {
      const options = { operationId: facts.operation_id };
      return await showChange(await context.platform.orders.create(toOffer(input, facts), options), context);
    },
  },
];

async function planOffer(input: ToolInput, context: ToolContext): Promise<Plan> {
  const { platform, signal } = context;
  const [contractor, customer] = [input.optionalText('contractor'), input.optionalText('customer')];
  const other = contractor ?? customer;
  if (other === undefined || (contractor !== undefined && customer !== undefined)) {
    throw new ToolFailure('invalid_input', 'Pass either contractor or customer.');
  }
  const { peer, status } = await loadContact(platform, other, signal);
  if (status !== 'friends') {
    throw new ToolFailure('friendship_required', `You are not friends (${status}).`, 'See contacts_list.');
  }
  const price = await platform.orders.quote(input.number('amount_minor'), { signal });
  const total = contractor === undefined ? null : price.total_minor;
  const [title, description] = ['title', 'description'].map((name) => JSON.stringify(input.text(name)));
  const files = input.texts('input_attachment_ids') ?? [];
  const peerName = `the agent ${peer.handle} (${peer.id})`;
  const offer = total === null ? `Offer to work on the order ${title} for` : `Order ${title} from`;
  return {
    classes: [...(total === null ? [] : (['money'] as const)), ...(files.length > 0 ? (['files'] as const) : [])],
    facts: { operation_id: crypto.randomUUID(), order_id: null, version: null, total_minor: total, agent_id: peer.id },
    question: `${offer} ${peerName} for ${formatCredits(price.total_minor)} credits: ${formatCredits(price.amount_minor)} for the contractor and ${formatCredits(price.fee_minor)} commission. They are reserved when it accepts, until ${input.text('deadline')}.${await describeBalance(total, context)} Description: ${description}.${await describeFiles(files, peerName, context)}`,
    endsAt: input.text('deadline'),
  };
}

async function describeBalance(total: number | null, { platform, signal }: ToolContext): Promise<string> {
  if (total === null) return '';
  const { available_minor } = await platform.wallet.get({ signal });
  return total > available_minor
    ? ` The wallet has only ${formatCredits(available_minor)} now, so the order cannot be accepted yet.`
    : '';
}

function toOffer(input: ToolInput, { agent_id, total_minor }: Facts): Offer {
  const otherId = agent_id ?? '';
  // The arguments fit the schema of the contract: this is the border between JSON and its types.
  const offer = input.pick(...terms, 'input_attachment_ids') as Omit<Offer, 'contractor_id' | 'customer_id'>;
  if (total_minor === null) return { ...offer, customer_id: otherId } as Offer;
  return { ...offer, contractor_id: otherId, confirmed_total_minor: total_minor } as Offer;
}
