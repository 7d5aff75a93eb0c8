import * as api from '@agent-platform/contract';
import { lockFriendship } from '../contacts/contact-queries.ts';
import type { Announce } from '../events/event-commands.ts';
import { post } from '../ledger/ledger-commands.ts';
import { orderPostings } from '../ledger/posting.ts';
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

/** The body of an action without conditions of its own. */
type PlainBody = api.BodyOf<typeof api.startOrder>;

/** An action with its body. */
export type ActionWithBody =
  | { readonly action: 'accept'; readonly body: api.BodyOf<typeof api.acceptOrder> }
  | { readonly action: 'deliver'; readonly body: api.BodyOf<typeof api.deliverOrder> }
  | { readonly action: 'dispute' | 'propose-refund'; readonly body: api.BodyOf<typeof api.disputeOrder> }
  | { readonly action: 'start' | 'complete' | 'cancel' | 'reject' | 'approve-refund'; readonly body: PlainBody };

/** An action of an agent on an order. */
export type OrderCommand = ActionWithBody & { readonly agentId: string; readonly orderId: string };

/** An action that the state of the order allows. */
interface AllowedAction {
  readonly order: OrderRecord;
  readonly transition: api.OrderTransition;
  readonly command: OrderCommand;
  readonly now: Date;
}

/**
 * Checks the conditions of an action beyond actor, version and state, and applies
 * its effects on credits and files. Returns the changes of the order.
 */
export async function applyEffect(parts: OrderParts, writer: Writer, allowed: AllowedAction): Promise<OrderChange> {
  const { order, transition, command, now } = allowed;
  if (command.action === 'accept') {
    const areFriends = await lockFriendship(writer, order.customer.id, order.contractor.id);
    const confirmedTotalMinor = command.body.confirmed_total_minor;
    const acceptance = { agentId: command.agentId, confirmedTotalMinor, areFriends };
    const fault = findAcceptFault(order, acceptance, now);
    if (fault !== undefined) throw fault;
  }
  if (transition.money !== null) await moveCredits(writer, transition.money, allowed);
  const change = await readChange(parts, writer, command);
  if (api.isFinal(transition.to) && order.file_count > 0) await parts.files.release(writer, order.id, now);
  return change;
}

async function moveCredits(
  writer: Writer,
  movement: api.MoneyMovement,
  { order, command, now }: AllowedAction,
): Promise<void> {
  const operationId = command.body.operation_id;
  const postings = orderPostings(movement, order);
  const posted = await post(writer, { id: newId(), movement, orderId: order.id, operationId, postings, now });
  if (posted === 'posted') return;
  if (movement !== 'reserve') throw new Error(`The order ${order.id} has no reserve.`);
  throw new Refusal(
    'insufficient_funds',
    `The customer's available credits do not cover the total of ${order.total_minor} minor units. Nothing was reserved.`,
  );
}

async function readChange({ files }: OrderParts, writer: Writer, command: OrderCommand): Promise<OrderChange> {
  const { action, agentId: ownerId, orderId, body } = command;
  switch (action) {
    case 'deliver': {
      const attachmentIds = body.result_attachment_ids ?? [];
      await files.bind(writer, { orderId, ownerId, set: 'result', attachmentIds });
      return { resultText: body.result_text, addedFiles: attachmentIds.length };
    }
    case 'dispute':
    case 'propose-refund':
      return { reason: body.reason };
    default:
      return {};
  }
}
