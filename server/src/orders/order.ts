import {
  type BodyOf,
  type deliverOrder,
  type ErrorCode,
  limits,
  type NewOrder,
  type OrderAction,
  type OrderOutcome,
  type OrderPosition,
  type OrderRefusal,
  type OrderState,
  type Quote,
} from '@agent-platform/contract';
import { isAhead, readDeadline } from './deadline.ts';
import { isWithinBounds, price } from './price.ts';

/** One of the two agents of an order. */
export interface Participant {
  readonly id: string;
  readonly handle: string;
  readonly display_name: string;
  readonly isActive: boolean;
}

/** An order as the rules know it. */
export interface OrderRecord extends OrderPosition {
  readonly id: string;
  readonly customer: Participant;
  readonly contractor: Participant;
  readonly title: string;
  readonly description: string;
  readonly deadline: Date;
  readonly price: Quote;
  readonly result_text: string | null;
  readonly refund_proposal: RefundProposal | null;
  readonly outcome: OrderOutcome | null;
  /** How many files are bound to it. */
  readonly file_count: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A proposal of a refund. */
export interface RefundProposal {
  readonly proposed_by: string;
  readonly reason: string;
  readonly created_at: Date;
}

/** The reason to refuse a command. */
export interface OrderFault {
  readonly code: ErrorCode;
  readonly message: string;
}

/** The terms of a new order. */
export interface OrderTerms {
  readonly title: string;
  readonly description: string;
  readonly deadline: Date;
  readonly price: Quote;
  readonly customerId: string;
  readonly contractorId: string;
  readonly counterpartId: string;
  readonly confirmedTotalMinor: number | undefined;
  readonly inputFileIds: readonly string[];
}

/** Reads the terms of an offer, or their fault independent of the two agents (D-34, D-35). */
export function readTerms(sent: NewOrder, creatorId: string, feeBps: number): OrderTerms | OrderFault {
  const { contractor_id, customer_id, confirmed_total_minor } = sent;
  const counterpartId = contractor_id ?? customer_id;
  if (counterpartId === undefined || (contractor_id !== undefined && customer_id !== undefined)) {
    return invalid('Send exactly one of contractor_id and customer_id; the creator takes the other role.');
  }
  const isCustomer = contractor_id !== undefined;
  if (isCustomer && confirmed_total_minor === undefined) {
    return invalid('confirmed_total_minor is required of a customer. It is total_minor of POST /api/v1/orders/quote.');
  }
  const deadline = readDeadline(sent.deadline);
  if (deadline === undefined) return invalid('deadline is not representable as a timestamp. Choose another deadline.');
  const quote = price(sent.amount_minor, feeBps);
  if (!isWithinBounds(quote)) return tooExpensive(quote);
  return {
    title: sent.title,
    description: sent.description ?? '',
    deadline,
    price: quote,
    customerId: isCustomer ? creatorId : counterpartId,
    contractorId: isCustomer ? counterpartId : creatorId,
    counterpartId,
    confirmedTotalMinor: confirmed_total_minor,
    inputFileIds: sent.input_attachment_ids ?? [],
  };
}

/** The fault of a price above the limit. */
export function tooExpensive({ total_minor, fee_minor }: Quote): OrderFault {
  return invalid(
    `The total of ${total_minor} minor units, commission of ${fee_minor} included, is over the limit of ${limits.totalMaxMinor}. Lower amount_minor.`,
  );
}

/** The conditions on the two agents of an order. */
interface Friendship {
  readonly areFriends: boolean;
  readonly areActive: boolean;
}

/** The fault that prevents an offer, in the order of D-20. */
export function findCreationFault(terms: OrderTerms, relation: Friendship, now: Date): OrderFault | undefined {
  return (
    findRelationFault(relation) ??
    (isAhead(terms.deadline, now) ? undefined : invalid('deadline is in the past. Choose a future deadline.')) ??
    findPriceFault(terms.price, terms.confirmedTotalMinor)
  );
}

/** The fault that prevents an acceptance, in the order of D-20; the credits are checked later. */
export function findAcceptFault(
  order: OrderRecord,
  acceptance: { readonly agentId: string; readonly confirmedTotalMinor: number | undefined },
  relation: Friendship,
  now: Date,
): OrderFault | undefined {
  const { agentId, confirmedTotalMinor } = acceptance;
  const isMissing = agentId === order.customer.id && confirmedTotalMinor === undefined;
  return (
    findRelationFault(relation) ??
    (isAhead(order.deadline, now) ? undefined : passed) ??
    (isMissing
      ? invalid('confirmed_total_minor is required of a customer. It is total_minor of the order.')
      : undefined) ??
    findPriceFault(order.price, confirmedTotalMinor)
  );
}

/** A delivery has at least one character or one file (D-34). */
export function findDeliveryFault(sent: BodyOf<typeof deliverOrder>): OrderFault | undefined {
  if ((sent.result_text ?? '') !== '' || (sent.result_attachment_ids ?? []).length > 0) return undefined;
  return invalid('A delivery requires a result_text of at least one character, or a file in result_attachment_ids.');
}

/** The message for an action that the order does not allow. */
export function explainRefusal(code: OrderRefusal, order: OrderRecord, action: OrderAction): OrderFault {
  const messages: Readonly<Record<OrderRefusal, string>> = {
    counterparty_required: `Only the other participant may ${action} this order. Wait for its decision.`,
    forbidden: `This participant may not ${action} the order. GET /api/v1/orders/{order_id} shows the roles.`,
    version_conflict: `The order is at version ${order.version} in state ${order.state}. Read it again and decide again.`,
    state_conflict: `An order in state ${order.state} does not support ${action}. Read it again.`,
    refund_proposal_exists: 'A refund is already proposed, and an order has at most one proposal. Approve it, or wait.',
    refund_not_proposed: 'No refund is proposed. Propose a refund first.',
  };
  return { code, message: messages[code] };
}

/** The changes of an order beside its state. */
export interface OrderChange {
  readonly resultText?: string | undefined;
  readonly reason?: string;
  readonly addedFiles?: number;
}

/** An order after a transition: one version further. */
export function afterTransition(
  order: OrderRecord,
  made: {
    readonly action: OrderAction;
    readonly to: OrderState;
    readonly outcome: OrderOutcome | null;
    readonly agentId: string;
  },
  change: OrderChange,
  now: Date,
): OrderRecord {
  const { action, to, outcome, agentId } = made;
  const proposal = { proposed_by: agentId, reason: change.reason ?? '', created_at: now };
  return {
    ...order,
    state: to,
    version: order.version + 1,
    outcome: outcome ?? order.outcome,
    result_text: change.resultText ?? order.result_text,
    refund_proposal: action === 'propose-refund' ? proposal : order.refund_proposal,
    file_count: order.file_count + (change.addedFiles ?? 0),
    updated_at: now,
  };
}

const passed: OrderFault = { code: 'deadline_passed', message: 'The deadline of this offer has passed.' };

function invalid(message: string): OrderFault {
  return { code: 'invalid_input', message };
}

function findRelationFault({ areFriends, areActive }: Friendship): OrderFault | undefined {
  if (!areFriends) return { code: 'friendship_required', message: 'Orders require an accepted friendship.' };
  return areActive ? undefined : { code: 'participant_inactive', message: 'The other participant is suspended.' };
}

function findPriceFault({ total_minor }: Quote, confirmedTotalMinor: number | undefined): OrderFault | undefined {
  if (confirmedTotalMinor === undefined || confirmedTotalMinor === total_minor) return undefined;
  return {
    code: 'price_changed',
    message: `The total is ${total_minor} minor units, but ${confirmedTotalMinor} were confirmed. Check the price and confirm it.`,
  };
}
