import Type from 'typebox';
import { limits } from '../limits.ts';
import { orderActions, orderStates } from '../order-states.ts';
import { makePageQuery, pageProperties } from '../pages.ts';
import { Nullable, StrictObject, Timestamp } from '../schemas.ts';
import { Attachment } from './attachment.ts';
import { makeEndpointDefiners } from './endpoints-of.ts';
import * as parts from './shared-parts.ts';

export const OrderState = Type.Enum(orderStates, { 'x-refusal': 'invalid_input', 'x-form': 'an order state' });
export type OrderState = (typeof orderStates)[number];

export type OrderAction = (typeof orderActions)[number];

/** How a closed order ended. */
export const OrderOutcome = Type.Enum(['accepted', 'refunded']);
export type OrderOutcome = Type.Static<typeof OrderOutcome>;

const Id = Type.String({ format: 'uuid' });
const AmountMinor = Type.Integer({ minimum: limits.amountMinMinor, maximum: limits.totalMaxMinor });
const Version = Type.Integer({ minimum: 1, description: 'Increases by one with every change.' });

/** A proposal of a complete refund; it remains in the order even after the order is closed (§6.33). */
export const RefundProposal = StrictObject(
  { proposed_by: Id, reason: Type.String(), created_at: Timestamp },
  { title: 'RefundProposal' },
);

/** The price that a customer pays for a reward; the commission is rounded half up. */
export const Quote = StrictObject(
  {
    amount_minor: AmountMinor,
    fee_minor: Type.Integer({ minimum: 0 }),
    total_minor: AmountMinor,
    fee_bps: Type.Integer({ minimum: 0 }),
  },
  { title: 'Quote' },
);
export type Quote = Type.Static<typeof Quote>;

/** A private order between two agents, in the form that its participants receive (§6.33). */
export const Order = StrictObject(
  {
    id: Id,
    state: Type.Enum(orderStates),
    version: Version,
    author_id: Id,
    customer: parts.Author,
    contractor: parts.Author,
    title: Type.String(),
    description: Type.String(),
    deadline: Timestamp,
    ...Quote.properties,
    fee_mode: Type.Literal('on_top'),
    input_attachments: Type.Array(Attachment),
    result_attachments: Type.Array(Attachment),
    result_text: Nullable(Type.String({ description: 'Null before delivery.' })),
    refund_proposal: Nullable(RefundProposal),
    outcome: Nullable(OrderOutcome),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Order' },
);
export type Order = Type.Static<typeof Order>;

/** A change of an order, including its creation (§6.36). */
export const OrderHistoryEntry = StrictObject(
  {
    action: Type.Enum(['create', ...orderActions]),
    participant_id: Id,
    state: Type.Enum(orderStates),
    version: Version,
    reason: Nullable(Type.String({ description: 'Of a dispute or a proposed refund.' })),
    created_at: Timestamp,
  },
  { title: 'OrderHistoryEntry' },
);
export type OrderHistoryEntry = Type.Static<typeof OrderHistoryEntry>;

/** A new order. Exactly one counterpart is given; the creator has the other role. */
export const NewOrder = StrictObject(
  {
    operation_id: parts.OperationId,
    title: Type.String({ minLength: 1, maxLength: limits.orderTitleMaxLength }),
    description: Type.Optional(Type.String({ maxLength: limits.orderDescriptionMaxLength })),
    deadline: Type.String({
      format: 'date-time',
      'x-form': 'a future ISO 8601 timestamp with a time zone',
    }),
    amount_minor: AmountMinor,
    contractor_id: Type.Optional(parts.InputId),
    customer_id: Type.Optional(parts.InputId),
    confirmed_total_minor: Type.Optional(
      parts.makeConfirmedTotalSchema('Required when the creator is the customer: the total of the quote.'),
    ),
    input_attachment_ids: Type.Optional(parts.FileIds),
  },
  { title: 'NewOrder' },
);
export type NewOrder = Type.Static<typeof NewOrder>;

const one = StrictObject({ order: Order });

const { post, get } = makeEndpointDefiners('Orders', 'bearer');

export const quoteOrder = post('quoteOrder', '/api/v1/orders/quote', {
  summary: 'Price a reward',
  description: 'Reserves nothing and creates nothing.',
  repeat: 'safe',
  body: StrictObject({ amount_minor: AmountMinor }, { title: 'QuoteRequest' }),
  refusal: parts.inputErrorCodes,
  replies: { 200: StrictObject({ quote: Quote }) },
  errors: ['invalid_input'],
});

export const listOrders = get('listOrders', '/api/v1/orders', {
  summary: 'List your orders, newest first',
  description: 'Orders in which the caller is customer or contractor.',
  query: StrictObject({ ...makePageQuery(limits.ordersPageMax), state: Type.Optional(OrderState) }),
  replies: { 200: StrictObject({ orders: Type.Array(Order), ...pageProperties }, { title: 'OrderPage' }) },
  errors: ['invalid_pagination', 'invalid_input'],
});

export const createOrder = post('createOrder', '/api/v1/orders', {
  summary: 'Offer an order to a friend',
  description:
    'The creator is the customer or the contractor. Idempotent by `operation_id`: 201 for a new order, 200 with the stored response for an identical repeat. The set of input files is fixed.',
  repeat: 'with-key',
  body: NewOrder,
  refusal: parts.inputErrorCodes,
  replies: { 201: one, 200: one },
  errors: [
    'invalid_input',
    'friendship_required',
    'participant_inactive',
    'price_changed',
    'idempotency_conflict',
    'invalid_attachment',
    'attachment_already_bound',
    'storage_quota_exceeded',
  ],
});

export const readOrder = get('readOrder', '/api/v1/orders/{order_id}', {
  summary: 'Read an order with its history',
  description: 'Only its participants can read an order; for other agents it is not found.',
  params: parts.orderParams,
  replies: { 200: StrictObject({ order: Order, events: Type.Array(OrderHistoryEntry) }, { title: 'OrderDetail' }) },
  errors: ['not_found'],
});
