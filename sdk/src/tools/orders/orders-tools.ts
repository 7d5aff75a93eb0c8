import { limits, listOrders, NewOrder, OrderHistoryEntry, Quote, quoteOrder } from '@agent-platform/contract';
import { orderStates } from '@agent-platform/contract/client';
import { formatCredits } from '../../credits.ts';
import { getOrderRole } from '../../orders/order-turn.ts';
import type { Offer } from '../../orders/order-types.ts';
import { loadContact } from '../contacts-tools.ts';
import { agentArgument, nextPageMember, orderIdArgument, pageArguments, pageSizeDefault } from '../inputs.ts';
import { arraySchema, memberSchema, objectSchema, toJsonSchema, withDescription } from '../schemas/json-schema.ts';
import { makeRecordView } from '../schemas/record-view.ts';
import { describeReadableFiles } from '../shown-files.ts';
import type { Facts, Plan, Tool, ToolContext, ToolInput } from '../tool.ts';
import { ToolFailure } from '../tool-failure.ts';
import {
  changedOrderSchema,
  fullOrderSchema,
  listedOrderSchema,
  toChangedOrderResult,
  toListedOrderResult,
  toOrderResult,
} from './order-view.ts';

const quote = makeRecordView(Quote);
const entry = makeRecordView(OrderHistoryEntry);
const historyEntry = objectSchema(
  {
    ...Object.fromEntries(['action', 'version', 'created_at'].map((name) => [name, memberSchema(entry.schema, name)])),
    by: { type: 'string', enum: ['customer', 'contractor'] },
  },
  { reason: memberSchema(entry.schema, 'reason') },
);
const amount = withDescription(
  memberSchema(quoteOrder.body, 'amount_minor'),
  'Reward in minor units, 100 to a credit.',
);
const terms = ['title', 'description', 'deadline', 'amount_minor'] as const;

export const ordersTools: readonly Tool[] = [
  {
    name: 'orders_list',
    command: 'orders list',
    effect: 'read',
    repeat: 'safe',
    description:
      'Lists your orders, newest first, each with the tools that are possible now. Use it to find an order; agenda_show lists those that wait for you.',
    input: objectSchema(
      {},
      {
        state: { ...toJsonSchema(memberSchema(listOrders.query, 'state')), description: 'Only orders in this state.' },
        ...pageArguments(limits.ordersPageMax),
      },
    ),
    output: objectSchema({ orders: arraySchema(listedOrderSchema) }, nextPageMember),
    run: async (input, context) => {
      const state = orderStates.find((known) => known === input.optionalText('state'));
      const pageSize = input.optionalNumber('page_size') ?? pageSizeDefault;
      const query = { state, page: input.optionalNumber('page') ?? 1, pageSize };
      const { orders, next_page } = await context.platform.orders.list(query, { signal: context.signal });
      return { orders: orders.map((order) => toListedOrderResult(order, context)), next_page };
    },
  },
  {
    name: 'orders_show',
    command: 'orders show',
    effect: 'read',
    repeat: 'safe',
    description:
      'Shows an order: terms, result, history, the calls that are possible next, and why others are not. Read it before you accept, complete or dispute.',
    input: objectSchema({ order_id: orderIdArgument }),
    output: objectSchema({ ...fullOrderSchema, history: arraySchema(historyEntry) }),
    run: async (input, context) => {
      const { order, events } = await context.platform.orders.get(input.text('order_id'), { signal: context.signal });
      const history = events.map((event) => {
        const { participant_id: id, state: _, ...shown } = entry.of(event, context.me.id);
        return { ...shown, by: getOrderRole(order, String(id)) };
      });
      return { ...(await toOrderResult(order, context)), history };
    },
  },
  {
    name: 'orders_quote',
    command: 'orders quote',
    effect: 'read',
    repeat: 'safe',
    description:
      'Prices a reward: the total that the customer pays is reward plus commission. It reserves nothing. Use it before orders_create to know confirmed_total_minor.',
    input: objectSchema({ amount_minor: amount }),
    output: objectSchema({ quote: quote.schema }),
    run: async (input, { me, platform, signal }) => ({
      quote: quote.of(await platform.orders.quote(input.number('amount_minor'), { signal }), me.id),
    }),
  },
  {
    name: 'orders_create',
    command: 'orders create',
    effect: 'money',
    repeat: 'with-key',
    description:
      'Offers an order to a friend: with contractor_id to buy (the user may be asked), with customer_id to work. Credits are reserved when it accepts: wait with events_next. Without an answer, repeat the call.',
    input: objectSchema(
      {
        title: withDescription(memberSchema(NewOrder, 'title'), 'Title.'),
        deadline: withDescription(memberSchema(NewOrder, 'deadline'), 'Future time with zone: 2030-01-31T12:00:00Z.'),
        amount_minor: amount,
      },
      {
        description: withDescription(memberSchema(NewOrder, 'description'), 'What is to be done.'),
        contractor_id: withDescription(agentArgument, 'Friend that works, handle or id; you pay.'),
        customer_id: withDescription(agentArgument, 'Friend that pays, handle or id; you work.'),
        confirmed_total_minor: withDescription(
          memberSchema(NewOrder, 'confirmed_total_minor'),
          'Total that you expect to pay, in minor units.',
        ),
        input_attachment_ids: withDescription(
          memberSchema(NewOrder, 'input_attachment_ids'),
          'Ids of your files with purpose order.',
        ),
      },
    ),
    output: objectSchema(changedOrderSchema),
    plan: planOffer,
    send: async (input, facts, context) => {
      const options = { operationId: facts.operation_id };
      return await toChangedOrderResult(await context.platform.orders.create(toOffer(input, facts), options), context);
    },
  },
];

async function planOffer(input: ToolInput, context: ToolContext): Promise<Plan> {
  const { platform, signal, now } = context;
  const [contractor, customer] = [input.optionalText('contractor_id'), input.optionalText('customer_id')];
  const other = contractor ?? customer;
  if (other === undefined || (contractor !== undefined && customer !== undefined)) {
    throw new ToolFailure('invalid_input', 'Pass either contractor_id or customer_id.');
  }
  const { peer, status } = await loadContact(platform, other, signal);
  if (status !== 'friends') {
    throw new ToolFailure('friendship_required', `You are not friends (${status}).`, 'See contacts_list.');
  }
  // Otherwise the user would be asked for an approval that has expired.
  if (!(Date.parse(input.text('deadline')) > now().getTime())) {
    throw new ToolFailure('invalid_input', 'The deadline is not in the future.', 'Pass a later deadline.');
  }
  const price = await platform.orders.quote(input.number('amount_minor'), { signal });
  const total = contractor === undefined ? null : price.total_minor;
  const expected = input.optionalNumber('confirmed_total_minor');
  if (total !== null && expected !== undefined && expected !== total) {
    throw new ToolFailure('price_changed', `The total is ${total}, not ${expected}.`, 'See orders_quote.');
  }
  const [title, description] = ['title', 'description'].map((name) => JSON.stringify(input.text(name)));
  const files = input.texts('input_attachment_ids') ?? [];
  const peerName = `the agent ${peer.handle} (${peer.id})`;
  const offer = total === null ? `Offer to work on the order ${title} for` : `Order ${title} from`;
  return {
    classes: [...(total === null ? [] : (['money'] as const)), ...(files.length > 0 ? (['files'] as const) : [])],
    facts: { operation_id: crypto.randomUUID(), order_id: null, version: null, total_minor: total, agent_id: peer.id },
    question: `${offer} ${peerName} for ${formatCredits(price.total_minor)} credits: ${formatCredits(price.amount_minor)} for the contractor and ${formatCredits(price.fee_minor)} commission. They are reserved when it accepts, until ${input.text('deadline')}.${await describeBalance(total, context)} Description: ${description}.${await describeReadableFiles(files, peerName, context)}`,
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
  // The arguments were checked against the schema of the contract, so they have its types.
  const offer = input.pick(...terms, 'input_attachment_ids') as Omit<Offer, 'contractor_id' | 'customer_id'>;
  if (total_minor === null) return { ...offer, customer_id: otherId } as Offer;
  return { ...offer, contractor_id: otherId, confirmed_total_minor: total_minor } as Offer;
}
