import { decideOrderAction, type NewOrder, type Order, type OrderAction } from '@agent-platform/contract';
import { lockFriendship } from '../contacts/contact-queries.ts';
import { newId } from '../platform/new-id.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Writer } from '../store/store.ts';
import { fingerprint } from './fingerprint.ts';
import { type OperationResult, once } from './once-commands.ts';
import {
  afterTransition,
  explainRefusal,
  findCreationFault,
  type OrderFault,
  type OrderRecord,
  type OrderTerms,
  readTerms,
} from './order.ts';
import { applyEffect, type OrderCommand, type OrderParts } from './order-effect-commands.ts';
import { findParticipants, lockOrder } from './order-queries.ts';
import { insertOrder, updateOrder } from './order-record-commands.ts';
import { refreshFiles, showOrder } from './order-view.ts';

/** An order after a command, and whether the command was a repeat. */
interface CommandResult {
  readonly order: Order;
  readonly isRepeat: boolean;
}

// The order of locks in all commands: operation, order, friendship, wallets by
// their ids, files by their ids.

/** Offers an order to a friend; the creator is customer or contractor. Its input files are fixed from now on. */
export async function createOrder(parts: OrderParts, agentId: string, sent: NewOrder): Promise<CommandResult> {
  const terms = readTerms(sent, agentId, parts.feeBps);
  if ('code' in terms) throw refusalOf(terms);
  const now = parts.clock();
  const operation = { agentId, operationId: sent.operation_id, fingerprint: fingerprint('create', null, sent), now };
  return await parts.store.transact(async (writer) => {
    const outcome = await once(writer, operation, async () => {
      const order = await prepareOrder(writer, agentId, terms, now);
      await insertOrder(writer, order, agentId);
      await parts.files.bind(writer, {
        orderId: order.id,
        ownerId: agentId,
        set: 'input',
        attachmentIds: terms.inputFileIds,
      });
      return await publish(parts, writer, order);
    });
    if (outcome.kind === 'conflict') throw idempotencyConflict(sent.operation_id);
    return await conclude(parts, writer, outcome);
  });
}

/** Applies one of the nine actions, or returns the stored answer of a repeat. */
export async function actOnOrder(parts: OrderParts, command: OrderCommand): Promise<CommandResult> {
  const { agentId, orderId, action, body } = command;
  const now = parts.clock();
  const operation = { agentId, operationId: body.operation_id, fingerprint: fingerprint(action, orderId, body), now };
  return await parts.store.transact(async (writer) => {
    const outcome = await once(writer, operation, async () => {
      const order = await lockOrder(writer, orderId, agentId);
      const transition = decide(order, action, agentId, body.expected_version);
      const change = await applyEffect(parts, writer, { order, transition, command, now });
      const changed = afterTransition(order, { ...transition, agentId }, change, now);
      await updateOrder(writer, changed, { action, agentId, reason: change.reason ?? null });
      return await publish(parts, writer, changed);
    });
    if (outcome.kind === 'conflict') {
      // An order of other agents is not found, also where the id was used before (D-20).
      await lockOrder(writer, orderId, agentId);
      throw idempotencyConflict(body.operation_id);
    }
    return await conclude(parts, writer, outcome);
  });
}

async function prepareOrder(writer: Writer, agentId: string, terms: OrderTerms, now: Date): Promise<OrderRecord> {
  const { customerId, contractorId } = terms;
  if (terms.counterpartId === agentId) {
    throw new Refusal('invalid_input', 'An order requires two different agents. Use the id of another agent.');
  }
  // An agent that does not exist has no friends, so the answer is the same as for a stranger (D-45).
  const areFriends = await lockFriendship(writer, customerId, contractorId);
  const both = areFriends ? await findParticipants(writer, customerId, contractorId) : undefined;
  const areActive = both?.customer.isActive === true && both.contractor.isActive;
  const fault = findCreationFault(terms, { areFriends: both !== undefined, areActive }, now);
  if (fault !== undefined) throw refusalOf(fault);
  if (both === undefined) throw new Error('An order was let through without its participants.');
  return {
    id: newId(),
    author_id: agentId,
    ...both,
    state: 'offered',
    version: 1,
    title: terms.title,
    description: terms.description,
    deadline: terms.deadline,
    price: terms.price,
    result_text: null,
    refund_proposal: null,
    outcome: null,
    file_count: terms.inputFileIds.length,
    created_at: now,
    updated_at: now,
  };
}

function decide(order: OrderRecord, action: OrderAction, actorId: string, expectedVersion: number) {
  const decision = decideOrderAction(order, { action, actorId, expectedVersion });
  if (decision.allowed) return decision.transition;
  throw refusalOf(explainRefusal(decision.code, order, action));
}

/** Announces a version to both participants, its author included (D-30), and returns the order. */
async function publish({ announce, files }: OrderParts, writer: Writer, order: OrderRecord): Promise<Order> {
  const payload = { order_id: order.id, status: order.state, version: order.version };
  await announce(
    writer,
    [order.customer, order.contractor].map(({ id }) => ({
      receiverId: id,
      kind: 'order.changed' as const,
      payload,
      peerId: null,
      expiresAt: null,
    })),
  );
  if (order.file_count === 0) return showOrder(order);
  return showOrder(order, (await files.findOfOrders(writer, [order.id])).get(order.id));
}

async function conclude(
  { files }: OrderParts,
  writer: Writer,
  outcome: Exclude<OperationResult<Order>, { kind: 'conflict' }>,
): Promise<CommandResult> {
  const { kind, answer } = outcome;
  if (kind === 'done') return { order: answer, isRepeat: false };
  const hasFiles = answer.input_attachments.length + answer.result_attachments.length > 0;
  if (!hasFiles) return { order: answer, isRepeat: true };
  const current = (await files.findOfOrders(writer, [answer.id])).get(answer.id);
  return { order: refreshFiles(answer, current), isRepeat: true };
}

function idempotencyConflict(operationId: string): Refusal {
  return new Refusal(
    'idempotency_conflict',
    `The operation_id ${operationId} belongs to another command. Send exactly the same request again, or use a new id.`,
  );
}

function refusalOf({ code, message }: OrderFault): Refusal {
  return new Refusal(code, message);
}
