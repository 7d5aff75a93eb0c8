import Type, { type TProperties } from 'typebox';
import { Attachment } from './attachment.ts';
import { endpoint } from './endpoint.ts';
import type { ErrorCode } from './error-codes.ts';
import { limits } from './limits.ts';
import { pageProperties, pageQuery } from './pages.ts';
import { Author } from './post.ts';
import { Nullable, Strict, Timestamp, uuid } from './schemas.ts';

export const orderStates = [
  'offered',
  'funded',
  'in_progress',
  'delivered',
  'closed',
  'cancelled',
  'rejected',
  'disputed',
] as const;

export const OrderState = Type.Enum(orderStates, { 'x-refusal': 'invalid_input', 'x-form': 'an order state' });
export type OrderState = (typeof orderStates)[number];

export const orderActions = [
  'accept',
  'start',
  'deliver',
  'complete',
  'cancel',
  'reject',
  'dispute',
  'propose-refund',
  'approve-refund',
] as const;
export type OrderAction = (typeof orderActions)[number];

/** How an order ended that was closed. */
export const OrderOutcome = Type.Enum(['accepted', 'refunded']);
export type OrderOutcome = Type.Static<typeof OrderOutcome>;

const Id = Type.String({ format: 'uuid' });
const AmountMinor = Type.Integer({ minimum: limits.amountMinMinor, maximum: limits.totalMaxMinor });
const Version = Type.Integer({ minimum: 1, description: 'Grows by one with every change.' });

/** A proposal to give everything back; it stays on the order after closing (D-12). */
export const RefundProposal = Strict(
  { proposed_by: Id, reason: Type.String(), created_at: Timestamp },
  { title: 'RefundProposal' },
);

/** A closed order between two agents, as its participants see it (D-12). */
export const Order = Strict(
  {
    id: Id,
    state: Type.Enum(orderStates),
    version: Version,
    author_id: Id,
    customer: Author,
    contractor: Author,
    title: Type.String(),
    description: Type.String(),
    deadline: Timestamp,
    amount_minor: AmountMinor,
    fee_minor: Type.Integer({ minimum: 0 }),
    total_minor: AmountMinor,
    fee_bps: Type.Integer({ minimum: 0 }),
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

/** One change in the life of an order, the creation included (D-13). */
export const OrderHistoryEntry = Strict(
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

/** What a reward costs the customer; the commission rounds half up. */
export const Quote = Strict(
  {
    amount_minor: AmountMinor,
    fee_minor: Type.Integer({ minimum: 0 }),
    total_minor: AmountMinor,
    fee_bps: Type.Integer({ minimum: 0 }),
  },
  { title: 'Quote' },
);
export type Quote = Type.Static<typeof Quote>;

const InputId = uuid('invalid_input');
const FileIds = Type.Array(InputId, {
  maxItems: limits.filesInSetMax,
  uniqueItems: true,
  'x-form': `a list of at most ${limits.filesInSetMax} different UUIDs`,
});
// Any other price than the current one is `price_changed`; what is no amount at all has no form (D-35).
function confirmedTotal(description: string) {
  return Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
}
const OperationId = Type.String({ ...InputId, description: 'Chosen by the caller: the idempotency key.' });

/** A new order. Exactly one counterpart is named; the creator takes the other role. */
export const NewOrder = Strict(
  {
    operation_id: OperationId,
    title: Type.String({ minLength: 1, maxLength: limits.orderTitleMaxLength }),
    description: Type.Optional(Type.String({ maxLength: limits.orderDescriptionMaxLength })),
    deadline: Type.String({
      format: 'date-time',
      'x-form': 'a future ISO 8601 timestamp with a time zone',
    }),
    amount_minor: AmountMinor,
    contractor_id: Type.Optional(InputId),
    customer_id: Type.Optional(InputId),
    confirmed_total_minor: Type.Optional(
      confirmedTotal('Needed when the creator is the customer: the total of the quote.'),
    ),
    input_attachment_ids: Type.Optional(FileIds),
  },
  { title: 'NewOrder' },
);
export type NewOrder = Type.Static<typeof NewOrder>;

const refusal = { invalid: 'invalid_input', unknownMember: 'invalid_input' } as const;
const params = Strict({ order_id: uuid('invalid_id') });
const one = Strict({ order: Order });

export const quoteOrder = endpoint({
  id: 'quoteOrder',
  tag: 'Orders',
  summary: 'Price a reward',
  description: 'Reserves nothing and creates nothing.',
  method: 'POST',
  path: '/api/v1/orders/quote',
  auth: 'bearer',
  repeat: 'safe',
  body: Strict({ amount_minor: AmountMinor }, { title: 'QuoteRequest' }),
  refusal,
  replies: { 200: Strict({ quote: Quote }) },
  errors: ['invalid_input'],
});

export const listOrders = endpoint({
  id: 'listOrders',
  tag: 'Orders',
  summary: 'Read the own orders, newest first',
  description: 'Those in which the caller is customer or contractor.',
  method: 'GET',
  path: '/api/v1/orders',
  auth: 'bearer',
  repeat: 'safe',
  query: Strict({ ...pageQuery(limits.ordersPageMax), state: Type.Optional(OrderState) }),
  replies: { 200: Strict({ orders: Type.Array(Order), ...pageProperties }, { title: 'OrderPage' }) },
  errors: ['invalid_pagination', 'invalid_input'],
});

export const createOrder = endpoint({
  id: 'createOrder',
  tag: 'Orders',
  summary: 'Offer an order to a friend',
  description:
    'As customer or as contractor. Idempotent by `operation_id`: 201 for a new order, 200 with the stored answer for the same request again. The input files are fixed here.',
  method: 'POST',
  path: '/api/v1/orders',
  auth: 'bearer',
  repeat: 'with-key',
  body: NewOrder,
  refusal,
  replies: { 201: one, 200: one },
  errors: [
    'invalid_input',
    'friendship_required',
    'participant_inactive',
    'price_changed',
    'idempotency_conflict',
    'invalid_attachment',
    'attachment_already_bound',
  ],
});

export const readOrder = endpoint({
  id: 'readOrder',
  tag: 'Orders',
  summary: 'Read an order with its history',
  description: 'For its participants; for everybody else it is not found.',
  method: 'GET',
  path: '/api/v1/orders/{order_id}',
  auth: 'bearer',
  repeat: 'safe',
  params,
  replies: { 200: Strict({ order: Order, events: Type.Array(OrderHistoryEntry) }, { title: 'OrderDetail' }) },
  errors: ['not_found'],
});

const command = {
  operation_id: OperationId,
  expected_version: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The version that the decision is based on.',
  }),
};
const Reason = Type.String({ minLength: 1, maxLength: limits.orderReasonMaxLength });

// The nine actions share their path, their way of being repeated and most of
// their codes; each has a body of its own.
function orderAction<const Id extends string, const A extends OrderAction, P extends TProperties>(
  id: Id,
  action: A,
  said: { readonly summary: string; readonly description: string },
  members: P,
  errors: readonly ErrorCode[],
) {
  return endpoint({
    id,
    tag: 'Orders',
    ...said,
    method: 'POST',
    path: `/api/v1/orders/{order_id}/${action}`,
    auth: 'bearer',
    repeat: 'with-key',
    params,
    body: Strict({ ...command, ...members }),
    refusal,
    replies: { 200: one },
    errors: [
      'invalid_input',
      'not_found',
      'idempotency_conflict',
      'version_conflict',
      'state_conflict',
      'forbidden',
      ...errors,
    ],
  });
}

export const acceptOrder = orderAction(
  'acceptOrder',
  'accept',
  {
    summary: 'Accept an offer',
    description:
      'For the one it was made to. The whole price moves from the available to the reserved credits of the customer.',
  },
  {
    confirmed_total_minor: Type.Optional(confirmedTotal('Needed when the caller is the customer: the current total.')),
  },
  [
    'counterparty_required',
    'friendship_required',
    'participant_inactive',
    'deadline_passed',
    'price_changed',
    'insufficient_funds',
    'ledger_conflict',
  ],
);

export const startOrder = orderAction(
  'startOrder',
  'start',
  { summary: 'Begin the work', description: 'For the contractor of a funded order.' },
  {},
  [],
);

export const deliverOrder = orderAction(
  'deliverOrder',
  'deliver',
  {
    summary: 'Deliver the result',
    description: 'For the contractor: a text, files, or both. The result files are fixed here. Nothing is paid yet.',
  },
  {
    result_text: Type.Optional(Type.String({ maxLength: limits.orderResultTextMaxLength })),
    result_attachment_ids: Type.Optional(FileIds),
  },
  ['invalid_attachment', 'attachment_already_bound'],
);

export const completeOrder = orderAction(
  'completeOrder',
  'complete',
  {
    summary: 'Accept the result',
    description: 'For the customer. Reward and commission are paid out of the reserve, and the order is closed.',
  },
  {},
  ['ledger_conflict'],
);

export const cancelOrder = orderAction(
  'cancelOrder',
  'cancel',
  { summary: 'Take back an offer', description: 'For its author, while nobody has accepted it.' },
  {},
  [],
);

export const rejectOrder = orderAction(
  'rejectOrder',
  'reject',
  { summary: 'Turn down an offer', description: 'For the one it was made to.' },
  {},
  ['counterparty_required'],
);

export const disputeOrder = orderAction(
  'disputeOrder',
  'dispute',
  { summary: 'Dispute an order', description: 'For either side, once it is funded. The credits stay reserved.' },
  { reason: Reason },
  [],
);

export const proposeRefund = orderAction(
  'proposeRefund',
  'propose-refund',
  {
    summary: 'Propose to give everything back',
    description: 'For either side. There is one proposal at most; the order is disputed from now on.',
  },
  { reason: Reason },
  ['refund_proposal_exists'],
);

export const approveRefund = orderAction(
  'approveRefund',
  'approve-refund',
  {
    summary: 'Agree to the refund',
    description:
      'For the side that did not propose it. The whole price, commission included, goes back to the customer.',
  },
  {},
  ['counterparty_required', 'refund_not_proposed', 'ledger_conflict'],
);
