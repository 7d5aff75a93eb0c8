import * as api from '@agent-platform/contract';
import type { EventAnnouncer } from '../events/event-commands.ts';
import type { Agent } from '../identity/agent.ts';
import { countTextBytes } from '../identity/text-usage.ts';
import { makeLedgerValues } from '../ledger/ledger-commands.ts';
import { makeOrderPostings } from '../ledger/posting.ts';
import { newId, sha256 } from '../platform/crypto.ts';
import { Refusal } from '../platform/refusal.ts';
import { toSafeInteger } from '../store/decode.ts';
import type { Writer } from '../store/store.ts';
import type { OrderFilePort } from './attachment-port.ts';
import { actionContextStatement, creationContextStatement } from './command-context-queries.ts';
import { computeMaxOffersWithoutLock, refuseSurplusOffer } from './open-offers-commands.ts';
import * as rules from './order.ts';
import { decodeOrder, loadOrder, orderNotFoundRefusal } from './order-queries.ts';
import * as record from './order-record-commands.ts';
import { addOrderStatement, changeOrderStatement, changeOrderWithCreditsStatement } from './write-order-commands.ts';

type OrderDependencies = record.OrderDependencies;

type PlainBody = api.BodyOf<typeof api.startOrder>;

export type ActionWithBody =
  | { readonly action: 'accept'; readonly body: api.BodyOf<typeof api.acceptOrder> }
  | { readonly action: 'deliver'; readonly body: api.BodyOf<typeof api.deliverOrder> }
  | { readonly action: 'dispute' | 'propose-refund'; readonly body: api.BodyOf<typeof api.disputeOrder> }
  | { readonly action: 'start' | 'complete' | 'cancel' | 'reject' | 'approve-refund'; readonly body: PlainBody };

type OrderCommand = ActionWithBody & { readonly agent: Author; readonly orderId: string };

type Author = Pick<Agent, 'id' | 'text_bytes_quota'>;

/** Offers an order to a friend, as customer or contractor. The input files cannot change afterwards. */
export async function createOrder(parts: OrderDependencies, author: Author, body: api.NewOrder) {
  const agentId = author.id;
  const terms = rules.parseOrderTerms(body, agentId, parts.feeBps);
  const { customerId: customer_id, contractorId: contractor_id, inputFileIds: attachmentIds } = terms;
  const operation = identify(agentId, 'create', null, body);
  const now = parts.clock();
  return await record.retryOnConflict(async () => {
    const offers_sought = computeMaxOffersWithoutLock(parts.openOffers);
    const values = { ...operation, customer_id, contractor_id, offers_sought };
    const context = await record.runWithNamedValues(parts.store, creationContextStatement, values);
    if (context === undefined) throw new Error('The database returned no row where exactly one was expected.');
    if (context.is_repeat !== null) return await record.answerRepeatedCommand(parts, operation, context, 1);
    if (customer_id === contractor_id) {
      throw new Refusal('invalid_input', 'An order requires two different agents. Use the id of another agent.');
    }
    const { contact_id, are_active, customer_handle, customer_name, contractor_handle, contractor_name } = context;
    const relation = { areFriends: contact_id !== null, areActive: are_active === true };
    const fault = rules.findOrderCreationFault(terms, relation, now);
    if (fault !== undefined) throw fault;
    const order = rules.makeOrder(newId(), agentId, terms, now, {
      customer: { id: customer_id, handle: `${customer_handle}`, display_name: `${customer_name}` },
      contractor: { id: contractor_id, handle: `${contractor_handle}`, display_name: `${contractor_name}` },
    });
    const files = { orderId: order.id, ownerId: agentId, set: 'input', attachmentIds } as const;
    const bind = (writer: Writer) => parts.files.bind(writer, files);
    const isLimitNear = parts.openOffers > 0 && context.open_offers >= offers_sought;
    const checkOffers = (writer: Writer) => refuseSurplusOffer(writer, order, parts.openOffers);
    return await record.writeOrderVersion(parts, addOrderStatement, order, {
      operation,
      values: { ...terms.content, customer_id, contractor_id, contact_id },
      line: { action: 'create', agentId, reason: null },
      text: { author, bytes: countTextBytes(order.title, order.description) },
      steps: [...(attachmentIds.length === 0 ? [] : [bind]), ...(isLimitNear ? [checkOffers] : [])],
    });
  });
}

/** A repeat returns the stored response. */
export async function actOnOrder(parts: OrderDependencies, command: OrderCommand) {
  const { agent, orderId, action, body } = command;
  const agentId = agent.id;
  if (action === 'deliver') rules.requireDeliveryResult(body);
  const operation = identify(agentId, action, orderId, body);
  const now = parts.clock();
  return await record.retryOnConflict(async () => {
    const context = await record.runWithNamedValues(parts.store, actionContextStatement, {
      ...operation,
      order_id: orderId,
    });
    // An order between other agents is `not_found`, even if the operation id was used before (§8.11).
    if (context === undefined || context.id === null) throw orderNotFoundRefusal();
    if (context.is_repeat !== null)
      return await record.answerRepeatedCommand(parts, operation, context, body.expected_version + 1);
    const order = decodeOrder(context);
    const wanted = { action, actorId: agentId, expectedVersion: body.expected_version };
    const decision = api.decideOrderAction(order, wanted);
    if (!decision.allowed) throw rules.makeActionRefusal(decision.code, order, action);
    if (command.action === 'accept') {
      const confirmedTotalMinor = command.body.confirmed_total_minor;
      const availableMinor = toSafeInteger(context.available_minor ?? 0);
      const acceptance = { agentId, confirmedTotalMinor, areFriends: context.contact_id !== null, availableMinor };
      const fault = rules.findOrderAcceptanceFault(order, acceptance, now);
      if (fault !== undefined) throw fault;
    }
    const { money } = decision.transition;
    const change = readChange(command);
    const changed = rules.applyTransition(order, decision.transition, agentId, change, now);
    const files = filesOf(parts, command, changed, now);
    return await record.writeOrderVersion(
      parts,
      money === null ? changeOrderStatement : changeOrderWithCreditsStatement,
      changed,
      {
        operation,
        values: {
          result_text: change.resultText,
          contact_id: action === 'accept' ? context.contact_id : null,
          ...(money && makeLedgerValues({ id: newId(), movement: money, postings: makeOrderPostings(money, order) })),
        },
        line: { action, agentId, reason: change.reason ?? null },
        text: { author: agent, bytes: countTextBytes(change.resultText ?? '', change.reason ?? '') },
        steps: files === undefined ? [] : [files],
      },
    );
  });
}

/**
 * Ends the offers of an erased agent: cancels those that it made and rejects those that it received. Offers that have
 * already ended do not change. Returns the number of ended offers.
 */
export async function endOffers(
  parts: { readonly announce: EventAnnouncer; readonly files: OrderFilePort },
  writer: Writer,
  agentId: string,
  orderIds: readonly string[],
  now: Date,
): Promise<number> {
  let ended = 0;
  // Orders are locked in id order, as in every command that locks several.
  for (const orderId of orderIds.toSorted()) {
    const hasEnded = await record.retryOnConflict(async () => {
      const order = await loadOrder(writer, orderId, agentId);
      const action = order.author_id === agentId ? 'cancel' : 'reject';
      const decision = api.decideOrderAction(order, { action, actorId: agentId, expectedVersion: order.version });
      if (!decision.allowed) return false;
      const changed = rules.applyTransition(order, decision.transition, agentId, {}, now);
      return await record.writeVersionInTransaction(parts, writer, changed, { action, agentId, reason: null });
    });
    if (hasEnded) ended += 1;
  }
  return ended;
}

function identify(agentId: string, action: string, orderId: string | null, body: { readonly operation_id: string }) {
  const { operation_id } = body;
  return { agent_id: agentId, operation_id, fingerprint: fingerprint(action, orderId, body) };
}

function filesOf({ files }: record.OrderDependencies, command: OrderCommand, changed: rules.OrderRecord, now: Date) {
  const { agent, orderId } = command;
  const ownerId = agent.id;
  const attachmentIds = command.action === 'deliver' ? (command.body.result_attachment_ids ?? []) : [];
  if (attachmentIds.length > 0) {
    return (writer: Writer) => files.bind(writer, { orderId, ownerId, set: 'result', attachmentIds });
  }
  if (!api.isFinal(changed.state) || changed.file_count === 0) return undefined;
  return (writer: Writer) => files.release(writer, orderId, now);
}

function readChange({ action, body }: OrderCommand): rules.OrderChange {
  switch (action) {
    case 'deliver':
      return { resultText: body.result_text, addedFiles: body.result_attachment_ids?.length ?? 0 };
    case 'dispute':
    case 'propose-refund':
      return { reason: body.reason };
    default:
      return {};
  }
}

/**
 * Computes the fingerprint of an operation from the command, the order id and the body. A repeat has the same
 * fingerprint. The sequence of body members does not matter, but that of list items does.
 */
function fingerprint(command: string, orderId: string | null, body: object): string {
  const fields = Object.entries(body).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sha256(JSON.stringify([command, orderId, fields]));
}
