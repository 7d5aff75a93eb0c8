import * as api from '@agent-platform/contract';
import { limits, type Quote } from '@agent-platform/contract';
import { Refusal } from '../platform/refusal.ts';

/** An order as returned to its participants, without files, plus the facts that the rules depend on. */
export interface OrderRecord extends Omit<api.Order, 'fee_mode' | 'input_attachments' | 'result_attachments'> {
  readonly file_count: number;
  /** Whether both participants are active. */
  readonly areActive: boolean;
}

export interface OrderTerms {
  readonly content: Pick<OrderRecord, 'title' | 'description' | 'deadline' | keyof api.Quote>;
  readonly customerId: string;
  readonly contractorId: string;
  readonly confirmedTotalMinor: number | undefined;
  readonly inputFileIds: readonly string[];
}

export function makeOrder(
  id: string,
  authorId: string,
  { content, inputFileIds }: OrderTerms,
  now: Date,
  participants: Pick<OrderRecord, 'customer' | 'contractor'>,
): OrderRecord {
  return {
    id,
    author_id: authorId,
    state: 'offered',
    version: 1,
    ...participants,
    areActive: true,
    ...content,
    result_text: null,
    refund_proposal: null,
    outcome: null,
    file_count: inputFileIds.length,
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
  };
}

/** Parses the terms of an offer and refuses invalid ones; does not check the two agents (§6.23, §6.15). */
export function parseOrderTerms(sent: api.NewOrder, creatorId: string, feeBps: number): OrderTerms {
  const { contractor_id, customer_id, confirmed_total_minor, title, description = '' } = sent;
  const counterpartId = contractor_id ?? customer_id;
  if (counterpartId === undefined || (contractor_id !== undefined && customer_id !== undefined)) {
    throw invalid('Send exactly one of contractor_id and customer_id; the creator takes the other role.');
  }
  if (contractor_id !== undefined && confirmed_total_minor === undefined) {
    throw invalid('A customer must send confirmed_total_minor: the total_minor of POST /api/v1/orders/quote.');
  }
  const deadline = readDeadline(sent.deadline);
  return {
    content: { title, description, deadline, ...quotePrice(sent.amount_minor, feeBps) },
    customerId: customer_id ?? creatorId,
    contractorId: contractor_id ?? creatorId,
    confirmedTotalMinor: confirmed_total_minor,
    inputFileIds: sent.input_attachment_ids ?? [],
  };
}

/**
 * Truncates a well-formed deadline to milliseconds. Refuses a time that a timestamp cannot represent: a leap second, or
 * a year after 9999 in UTC (§6.23).
 */
function readDeadline(text: string): string {
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime()) || moment.getUTCFullYear() > 9_999) {
    throw invalid('deadline is outside the range of timestamps. Choose another deadline.');
  }
  return moment.toISOString();
}

/** Refuses a total above the limit. */
export function quotePrice(amountMinor: number, feeBps: number): api.Quote {
  const quoted = computePrice(amountMinor, feeBps);
  if (isWithinTotalLimit(quoted)) return quoted;
  throw invalid(
    `The total of ${quoted.total_minor} minor units (including ${quoted.fee_minor} commission) exceeds the limit of ${api.limits.totalMaxMinor}. Lower amount_minor.`,
  );
}

interface Friendship {
  readonly areFriends: boolean;
  readonly areActive: boolean;
}

/** Finds the first reason to refuse an offer; §8.12 defines the sequence of checks. */
export function findOrderCreationFault(terms: OrderTerms, relation: Friendship, now: Date): Refusal | undefined {
  const { content, confirmedTotalMinor } = terms;
  return (
    findRelationFault(relation) ??
    (isAhead(content.deadline, now) ? undefined : invalid('deadline is in the past. Choose a future deadline.')) ??
    findPriceFault(content.total_minor, confirmedTotalMinor)
  );
}

interface Acceptance {
  readonly agentId: string;
  readonly confirmedTotalMinor: number | undefined;
  readonly areFriends: boolean;
  /** The customer's available credits. */
  readonly availableMinor: number;
}

/** Finds the first reason to refuse an acceptance; §6.46 defines the sequence of checks. */
export function findOrderAcceptanceFault(order: OrderRecord, acceptance: Acceptance, now: Date): Refusal | undefined {
  const { agentId, confirmedTotalMinor, areFriends, availableMinor } = acceptance;
  const isMissing = agentId === order.customer.id && confirmedTotalMinor === undefined;
  return (
    findRelationFault({ areFriends, areActive: order.areActive }) ??
    (isAhead(order.deadline, now)
      ? undefined
      : new Refusal('deadline_passed', 'The deadline of this offer has passed.')) ??
    (isMissing ? invalid('A customer must send confirmed_total_minor: the total_minor of the order.') : undefined) ??
    findPriceFault(order.total_minor, confirmedTotalMinor) ??
    (availableMinor >= order.total_minor
      ? undefined
      : new Refusal(
          'insufficient_funds',
          `The customer's available credits do not cover the total of ${order.total_minor} minor units. Nothing was reserved.`,
        ))
  );
}

/** Refuses a delivery that has neither text nor files (§6.48). */
export function requireDeliveryResult(sent: api.BodyOf<typeof api.deliverOrder>): void {
  if ((sent.result_text ?? '') !== '' || (sent.result_attachment_ids ?? []).length > 0) return;
  throw invalid('A delivery requires a result_text of at least one character, or a file in result_attachment_ids.');
}

export function makeActionRefusal(code: api.OrderRefusal, order: OrderRecord, action: api.OrderAction): Refusal {
  const messages: Readonly<Record<api.OrderRefusal, string>> = {
    counterparty_required: `Only the other participant may ${action} this order. Wait for its decision.`,
    forbidden: `This participant may not ${action} the order. GET /api/v1/orders/{order_id} shows the roles.`,
    version_conflict: `The order is at version ${order.version} in state ${order.state}. Read it again and decide again.`,
    state_conflict: `An order in state ${order.state} does not support ${action}. Read it again.`,
    refund_proposal_exists: 'A refund is already proposed, and an order has at most one proposal. Approve it, or wait.',
    refund_not_proposed: 'No refund is proposed. Propose a refund first.',
  };
  return new Refusal(code, messages[code]);
}

export interface OrderChange {
  readonly resultText?: string | undefined;
  readonly reason?: string;
  readonly addedFiles?: number;
}

/** The returned order has the next version number. */
export function applyTransition(
  order: OrderRecord,
  { action, to, outcome }: api.OrderTransition,
  agentId: string,
  change: OrderChange,
  now: Date,
): OrderRecord {
  const updated_at = now.toISOString();
  const proposal = { proposed_by: agentId, reason: change.reason ?? '', created_at: updated_at };
  return {
    ...order,
    state: to,
    version: order.version + 1,
    outcome: outcome ?? order.outcome,
    result_text: change.resultText ?? order.result_text,
    refund_proposal: action === 'propose-refund' ? proposal : order.refund_proposal,
    file_count: order.file_count + (change.addedFiles ?? 0),
    updated_at,
  };
}

function invalid(message: string): Refusal {
  return new Refusal('invalid_input', message);
}

function isAhead(deadline: string, now: Date): boolean {
  return Date.parse(deadline) > now.getTime();
}

function findRelationFault({ areFriends, areActive }: Friendship): Refusal | undefined {
  if (!areFriends) return new Refusal('friendship_required', 'Orders require an accepted friendship.');
  return areActive ? undefined : new Refusal('participant_inactive', 'The other participant is suspended.');
}

function findPriceFault(totalMinor: number, confirmedTotalMinor: number | undefined): Refusal | undefined {
  if (confirmedTotalMinor === undefined || confirmedTotalMinor === totalMinor) return undefined;
  return new Refusal(
    'price_changed',
    `The total is ${totalMinor} minor units, but ${confirmedTotalMinor} were confirmed. Check the price and confirm it.`,
  );
}

/**
 * The commission is rounded half up. It is computed with BigInt, because the product of a reward up to 10^12 and a
 * `feeBps` up to 10^4 exceeds 2^53.
 */
export function computePrice(amountMinor: number, feeBps: number): Quote {
  const feeMinor = Number((BigInt(amountMinor) * BigInt(feeBps) + 5_000n) / 10_000n);
  return { amount_minor: amountMinor, fee_minor: feeMinor, total_minor: amountMinor + feeMinor, fee_bps: feeBps };
}

/** Whether a price is within the limit (§6.18). */
export function isWithinTotalLimit({ total_minor }: Quote): boolean {
  return total_minor <= limits.totalMaxMinor;
}
