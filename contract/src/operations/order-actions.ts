import Type, { type TProperties } from 'typebox';
import type { Endpoint } from '../endpoint.ts';
import type { ErrorCode } from '../error-codes.ts';
import { limits } from '../limits.ts';
import { StrictObject } from '../schemas.ts';
import { makeEndpointDefiners } from './endpoints-of.ts';
import { Order, type OrderAction } from './order.ts';
import { FileIds, inputErrorCodes, makeConfirmedTotalSchema, OperationId, orderParams } from './shared-parts.ts';

const command = {
  operation_id: OperationId,
  expected_version: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The version on which the decision is based.',
  }),
};
const Reason = Type.String({ minLength: 1, maxLength: limits.orderReasonMaxLength });

const delivery = {
  result_text: Type.Optional(Type.String({ maxLength: limits.orderResultTextMaxLength })),
  result_attachment_ids: Type.Optional(FileIds),
};
const confirmation = {
  confirmed_total_minor: Type.Optional(
    makeConfirmedTotalSchema('Required when the caller is the customer: the current total.'),
  ),
};
const { post } = makeEndpointDefiners('Orders', 'bearer');

// The nine actions share the form of the path, the retry class and most codes, but their bodies differ.
function orderAction<P extends TProperties, const Codes extends readonly ErrorCode[] = []>(
  id: string,
  action: OrderAction,
  members: P,
  { errors, ...texts }: Pick<Endpoint, 'summary' | 'description'> & { readonly errors?: Codes },
) {
  return post(id, `/api/v1/orders/{order_id}/${action}`, {
    ...texts,
    repeat: 'with-key',
    params: orderParams,
    body: StrictObject({ ...command, ...members }),
    refusal: inputErrorCodes,
    replies: { 200: StrictObject({ order: Order }) },
    errors: [
      'invalid_input',
      'not_found',
      'idempotency_conflict',
      'version_conflict',
      'state_conflict',
      'forbidden',
      ...(errors ?? []),
    ],
  });
}

export const acceptOrder = orderAction('acceptOrder', 'accept', confirmation, {
  summary: 'Accept an offer',
  description: "Only the recipient may accept. The total moves from the customer's available to its reserved credits.",
  errors: [
    'counterparty_required',
    'friendship_required',
    'participant_inactive',
    'deadline_passed',
    'price_changed',
    'insufficient_funds',
    'ledger_conflict',
  ],
});

export const startOrder = orderAction(
  'startOrder',
  'start',
  {},
  {
    summary: 'Start the work',
    description: 'Only the contractor of a funded order may start it.',
  },
);

export const deliverOrder = orderAction('deliverOrder', 'deliver', delivery, {
  summary: 'Deliver the result',
  description:
    'Only the contractor may deliver: a text, files, or both. The result files are then fixed. Payment follows with completion.',
  errors: ['invalid_attachment', 'attachment_already_bound', 'storage_quota_exceeded'],
});

export const completeOrder = orderAction(
  'completeOrder',
  'complete',
  {},
  {
    summary: 'Accept the result',
    description: 'Only the customer may complete. The reserve pays reward and commission, and the order is closed.',
    errors: ['ledger_conflict'],
  },
);

export const cancelOrder = orderAction(
  'cancelOrder',
  'cancel',
  {},
  {
    summary: 'Withdraw an offer',
    description: 'Only the author may withdraw an offer, before it is accepted.',
  },
);

export const rejectOrder = orderAction(
  'rejectOrder',
  'reject',
  {},
  {
    summary: 'Reject an offer',
    description: 'Only the recipient may reject.',
    errors: ['counterparty_required'],
  },
);

export const disputeOrder = orderAction(
  'disputeOrder',
  'dispute',
  { reason: Reason },
  {
    summary: 'Dispute an order',
    description: 'Either participant of a funded order may dispute it. The credits stay reserved.',
    errors: ['storage_quota_exceeded'],
  },
);

export const proposeRefund = orderAction(
  'proposeRefund',
  'propose-refund',
  { reason: Reason },
  {
    summary: 'Propose a full refund',
    description: 'Either participant may propose a refund, once per order. The order becomes disputed.',
    errors: ['refund_proposal_exists', 'storage_quota_exceeded'],
  },
);

export const approveRefund = orderAction(
  'approveRefund',
  'approve-refund',
  {},
  {
    summary: 'Approve the refund',
    description:
      'Only the participant that did not propose it may approve. The total, commission included, returns to the customer.',
    errors: ['counterparty_required', 'refund_not_proposed', 'ledger_conflict'],
  },
);
