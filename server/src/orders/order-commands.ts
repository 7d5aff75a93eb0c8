import * as api from '@agent-platform/contract';
import { lockFriendship } from '../contacts/contact-queries.ts';
import { newId } from '../platform/new-id.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Writer } from '../store/store.ts';
import { fingerprint } from './fingerprint.ts';
import { once } from './once-commands.ts';
import * as rules from './order.ts';
import { applyEffect, type OrderCommand, type OrderParts } from './order-effect-commands.ts';
import { findParticipants, loadOrder, lockOrder } from './order-queries.ts';
import { insertOrder, updateOrder } from './order-record-commands.ts';
import { rebuildAnswer, reduceAnswer, type StoredAnswer, showOrder } from './order-view.ts';

// The order of locks in all commands: operation, order, friendship, wallets by
// their ids, files by their ids.

/** Offers an order to a friend; the creator is customer or contractor. Its input files are fixed from now on. */
export async function createOrder(parts: OrderParts, agentId: string, body: api.NewOrder) {
  const terms = rules.readTerms(body, agentId, parts.feeBps);
  return await runOnce(parts, { agentId, orderId: null, action: 'create', body }, async (writer, now) => {
    const order = await prepareOrder(writer, agentId, terms, now);
    await insertOrder(writer, order);
    const files = { orderId: order.id, ownerId: agentId, set: 'input', attachmentIds: terms.inputFileIds } as const;
    await parts.files.bind(writer, files);
    return order;
  });
}

/** Applies one of the nine actions, or returns the stored answer of a repeat. */
export async function actOnOrder(parts: OrderParts, command: OrderCommand) {
  const { agentId, orderId, action, body } = command;
  if (action === 'deliver') rules.requireResult(body);
  return await runOnce(parts, command, async (writer, now) => {
    const order = await lockOrder(writer, orderId, agentId);
    const wanted = { action, actorId: agentId, expectedVersion: body.expected_version };
    const decision = api.decideOrderAction(order, wanted);
    if (!decision.allowed) throw rules.explainRefusal(decision.code, order, action);
    const { transition } = decision;
    const change = await applyEffect(parts, writer, { order, transition, command, now });
    const changed = rules.afterTransition(order, transition, agentId, change, now);
    await updateOrder(writer, changed, { action, agentId, reason: change.reason ?? null });
    return changed;
  });
}

/**
 * Ends offers of an agent that is erased: it cancels its own and rejects those it received, as it could have done.
 * Offers that have ended meanwhile stay as they are. Returns how many it ended.
 */
export async function endOffers(
  parts: Pick<OrderParts, 'announce' | 'files'>,
  writer: Writer,
  agentId: string,
  orderIds: readonly string[],
  now: Date,
): Promise<number> {
  let ended = 0;
  // In the order of ids, as whoever locks several orders.
  for (const orderId of orderIds.toSorted()) {
    const order = await lockOrder(writer, orderId, agentId);
    const action = order.author_id === agentId ? 'cancel' : 'reject';
    const decision = api.decideOrderAction(order, { action, actorId: agentId, expectedVersion: order.version });
    if (!decision.allowed) continue;
    const changed = rules.afterTransition(order, decision.transition, agentId, {}, now);
    if (order.file_count > 0) await parts.files.release(writer, order.id, now);
    await updateOrder(writer, changed, { action, agentId, reason: null });
    await publish(parts, writer, changed);
    ended += 1;
  }
  return ended;
}

/** Any command on orders. */
interface AnyCommand {
  readonly agentId: string;
  /** Null for a new order. */
  readonly orderId: string | null;
  readonly action: api.OrderAction | 'create';
  readonly body: { readonly operation_id: string };
}

/** Runs a command once, and returns its order and whether it was a repeat. */
async function runOnce(
  parts: OrderParts,
  { agentId, orderId, action, body }: AnyCommand,
  work: (writer: Writer, now: Date) => Promise<rules.OrderRecord>,
) {
  const now = parts.clock();
  const operationId = body.operation_id;
  const operation = { agentId, operationId, fingerprint: fingerprint(action, orderId, body), now };
  return await parts.store.transact(async (writer) => {
    const result = await once(writer, operation, reduceAnswer, async () =>
      publish(parts, writer, await work(writer, now)),
    );
    if (result?.isRepeat === false) return { order: result.answer, isRepeat: false };
    if (result !== undefined) return { order: await rebuild(parts, writer, agentId, result.stored), isRepeat: true };
    // An order of other agents is not found, also where the id was used before (D-20).
    if (orderId !== null) await lockOrder(writer, orderId, agentId);
    throw new Refusal(
      'idempotency_conflict',
      `The operation_id ${operationId} belongs to another command. Send exactly the same request again; a new id is another command.`,
    );
  });
}

async function prepareOrder(
  writer: Writer,
  agentId: string,
  terms: rules.OrderTerms,
  now: Date,
): Promise<rules.OrderRecord> {
  const { customerId, contractorId } = terms;
  if (customerId === contractorId) {
    throw new Refusal('invalid_input', 'An order requires two different agents. Use the id of another agent.');
  }
  // An agent that does not exist has no friends, so the answer is the same as for a stranger (D-45).
  const areFriends = await lockFriendship(writer, customerId, contractorId);
  const both = areFriends ? await findParticipants(writer, customerId, contractorId) : undefined;
  const relation = { areFriends: both !== undefined, areActive: both?.areActive === true };
  const fault = rules.findCreationFault(terms, relation, now);
  if (fault !== undefined) throw fault;
  if (both === undefined) throw new Error('An order was let through without its participants.');
  return {
    id: newId(),
    author_id: agentId,
    ...both,
    ...{ state: 'offered', version: 1 },
    ...terms.content,
    ...{ result_text: null, refund_proposal: null, outcome: null },
    file_count: terms.inputFileIds.length,
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
  };
}

/** Announces a version to both participants, its author included (D-30), and returns the order. */
async function publish(
  { announce, files }: Pick<OrderParts, 'announce' | 'files'>,
  writer: Writer,
  order: rules.OrderRecord,
): Promise<api.Order> {
  const payload = { order_id: order.id, status: order.state, version: order.version };
  const event = { kind: 'order.changed', payload, peerId: null, expiresAt: null } as const;
  await announce(
    writer,
    [order.customer, order.contractor].map(({ id }) => ({ receiverId: id, ...event })),
  );
  if (order.file_count === 0) return showOrder(order);
  return showOrder(order, (await files.findOfOrders(writer, [order.id])).get(order.id));
}

async function rebuild({ files }: OrderParts, writer: Writer, agentId: string, stored: StoredAnswer) {
  const order = await loadOrder(writer, stored.id, agentId);
  if (order.file_count === 0) return rebuildAnswer(stored, order);
  return rebuildAnswer(stored, order, (await files.findOfOrders(writer, [order.id])).get(order.id));
}
