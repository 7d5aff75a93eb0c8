import type {
  acceptOrder,
  approveRefund,
  BodyOf,
  cancelOrder,
  completeOrder,
  deliverOrder,
  disputeOrder,
  MoneyMovement,
  OrderTransition,
  proposeRefund,
  rejectOrder,
  startOrder,
} from '@agent-platform/contract';
import { isFinal } from '@agent-platform/contract';
import { lockFriendship } from '../contacts/contact-queries.ts';
import type { Announce } from '../events/event-commands.ts';
import { post } from '../ledger/ledger-commands.ts';
import { type Posting, type PricedOrder, payoutPostings, refundPostings, reservePostings } from '../ledger/posting.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/new-id.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Store, Writer } from '../store/store.ts';
import type { OrderFiles } from './attachment-port.ts';
import { findAcceptFault, type OrderChange, type OrderRecord } from './order.ts';

/** The parts of orders. */
export interface OrderParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly announce: Announce;
  readonly files: OrderFiles;
  readonly feeBps: number;
}

interface Bodies {
  readonly accept: BodyOf<typeof acceptOrder>;
  readonly start: BodyOf<typeof startOrder>;
  readonly deliver: BodyOf<typeof deliverOrder>;
  readonly complete: BodyOf<typeof completeOrder>;
  readonly cancel: BodyOf<typeof cancelOrder>;
  readonly reject: BodyOf<typeof rejectOrder>;
  readonly dispute: BodyOf<typeof disputeOrder>;
  readonly 'propose-refund': BodyOf<typeof proposeRefund>;
  readonly 'approve-refund': BodyOf<typeof approveRefund>;
}

/** An action of an agent on an order, with its body. */
export type OrderCommand = {
  [A in keyof Bodies]: {
    readonly agentId: string;
    readonly orderId: string;
    readonly action: A;
    readonly body: Bodies[A];
  };
}[keyof Bodies];

/** An action that the state of the order allows. */
interface AllowedAction {
  readonly order: OrderRecord;
  readonly transition: OrderTransition;
  readonly command: OrderCommand;
  readonly now: Date;
}

/**
 * Checks the conditions of an action beyond actor, version and state, and applies
 * its effects on credits and files. Returns the changes of the order.
 */
export async function applyEffect(parts: OrderParts, writer: Writer, allowed: AllowedAction): Promise<OrderChange> {
  const { order, transition, command, now } = allowed;
  if (command.action === 'accept') await refuseAcceptance(writer, order, command, now);
  if (transition.money !== null) await moveCredits(writer, transition.money, allowed);
  const change = await readChange(parts, writer, order, command);
  if (isFinal(transition.to) && order.file_count > 0) await parts.files.release(writer, order.id, now);
  return change;
}

async function refuseAcceptance(
  writer: Writer,
  order: OrderRecord,
  { agentId, body }: Extract<OrderCommand, { action: 'accept' }>,
  now: Date,
): Promise<void> {
  const { customer, contractor } = order;
  const areFriends = await lockFriendship(writer, customer.id, contractor.id);
  const relation = { areFriends, areActive: customer.isActive && contractor.isActive };
  const fault = findAcceptFault(order, { agentId, confirmedTotalMinor: body.confirmed_total_minor }, relation, now);
  if (fault !== undefined) throw new Refusal(fault.code, fault.message);
}

const postingsOf: Readonly<Record<MoneyMovement, (order: PricedOrder) => readonly Posting[]>> = {
  reserve: reservePostings,
  payout: payoutPostings,
  refund: refundPostings,
};

async function moveCredits(writer: Writer, movement: MoneyMovement, allowed: AllowedAction): Promise<void> {
  const { order, command, now } = allowed;
  const { amount_minor, fee_minor, total_minor } = order.price;
  const priced = {
    customerId: order.customer.id,
    contractorId: order.contractor.id,
    amountMinor: amount_minor,
    feeMinor: fee_minor,
  };
  const posted = await post(writer, {
    id: newId(),
    movement,
    orderId: order.id,
    operationId: command.body.operation_id,
    postings: postingsOf[movement](priced),
    now,
  });
  if (posted === 'posted') return;
  if (movement !== 'reserve') throw new Error(`The order ${order.id} has no reserve.`);
  throw new Refusal(
    'insufficient_funds',
    `The customer's available credits do not cover the total of ${total_minor} minor units. Nothing was reserved.`,
  );
}

async function readChange(
  parts: OrderParts,
  writer: Writer,
  order: OrderRecord,
  command: OrderCommand,
): Promise<OrderChange> {
  switch (command.action) {
    case 'deliver': {
      const attachmentIds = command.body.result_attachment_ids ?? [];
      await parts.files.bind(writer, { orderId: order.id, ownerId: command.agentId, set: 'result', attachmentIds });
      return { resultText: command.body.result_text, addedFiles: attachmentIds.length };
    }
    case 'dispute':
    case 'propose-refund':
      return { reason: command.body.reason };
    default:
      return {};
  }
}
