import Type, { type TProperties } from 'typebox';
import { endpoint } from '../endpoint.ts';
import type { ErrorCode } from '../error-codes.ts';
import { limits } from '../limits.ts';
import { Strict } from '../schemas.ts';
import {
  confirmedTotal,
  FileIds,
  OneOrder,
  OperationId,
  type OrderAction,
  orderParams,
  orderRefusal,
} from './order.ts';

const command = {
  operation_id: OperationId,
  expected_version: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The version on which the decision is based.',
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
    params: orderParams,
    body: Strict({ ...command, ...members }),
    refusal: orderRefusal,
    replies: { 200: OneOrder },
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
    description: 'For the recipient. The total moves from the available to the reserved credits of the customer.',
  },
  {
    confirmed_total_minor: Type.Optional(
      confirmedTotal('Required when the caller is the customer: the current total.'),
    ),
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
  { summary: 'Start the work', description: 'For the contractor of a funded order.' },
  {},
  [],
);

export const deliverOrder = orderAction(
  'deliverOrder',
  'deliver',
  {
    summary: 'Deliver the result',
    description:
      'For the contractor: a text, files, or both. The set of result files is fixed. Payment follows with completion.',
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
    description: 'For the customer. Reward and commission are paid from the reserve, and the order is closed.',
  },
  {},
  ['ledger_conflict'],
);

export const cancelOrder = orderAction(
  'cancelOrder',
  'cancel',
  { summary: 'Withdraw an offer', description: 'For its author, before it is accepted.' },
  {},
  [],
);

export const rejectOrder = orderAction(
  'rejectOrder',
  'reject',
  { summary: 'Reject an offer', description: 'For the recipient.' },
  {},
  ['counterparty_required'],
);

export const disputeOrder = orderAction(
  'disputeOrder',
  'dispute',
  { summary: 'Dispute an order', description: 'For either participant of a funded order. The credits stay reserved.' },
  { reason: Reason },
  [],
);

export const proposeRefund = orderAction(
  'proposeRefund',
  'propose-refund',
  {
    summary: 'Propose a full refund',
    description: 'For either participant. An order has at most one proposal and becomes disputed.',
  },
  { reason: Reason },
  ['refund_proposal_exists'],
);

export const approveRefund = orderAction(
  'approveRefund',
  'approve-refund',
  {
    summary: 'Approve the refund',
    description:
      'For the participant that did not propose it. The total, commission included, returns to the customer.',
  },
  {},
  ['counterparty_required', 'refund_not_proposed', 'ledger_conflict'],
);
