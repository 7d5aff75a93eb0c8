import * as api from '@agent-platform/contract';
import type { EventStreams } from '../event-streams.ts';
import { makeReply, type OperationTable } from '../operation-table.ts';
import { FakeRefusal, requireOrRefuse } from '../refusal.ts';
import { type FakeAgent, type FakeDatabase, type FakeOrder, paginate } from '../world.ts';
import { prepareFileBinding } from './bind-files.ts';
import { executeOnce, type FakeOrderCommand } from './once.ts';
import {
  checkAcceptanceRules,
  checkOfferRules,
  computePrice,
  parseOfferTerms,
  refuseEmptyDelivery,
} from './order-rules.ts';
import { toAuthorRecord, toFileRecord } from './views.ts';
import { moveCredits } from './wallet.ts';

export function mountOrders(table: OperationTable, world: FakeDatabase, streams: EventStreams): void {
  const orders = new Orders(world, streams);
  table.on(api.quoteOrder, ({ body }) => makeReply(200, { quote: computePrice(body.amount_minor) }));
  table.on(api.listOrders, ({ caller, query }) => {
    const own = world.orders.filter(
      ({ record }) => isParticipant(record, caller) && (query.state === undefined || record.state === query.state),
    );
    const { items, ...page } = paginate(own.toReversed(), query, api.limits.ordersPageMax);
    return makeReply(200, { orders: items.map((order) => showOrder(world, withNames(world, order), caller)), ...page });
  });
  table.on(api.createOrder, ({ caller, body }) => orders.create(caller, body));
  table.on(api.readOrder, ({ caller, params }) => {
    const order = orders.load(params.order_id, caller);
    return makeReply(200, { order: showOrder(world, withNames(world, order), caller), events: order.history });
  });
  const actions = [
    [api.acceptOrder, 'accept'],
    [api.startOrder, 'start'],
    [api.deliverOrder, 'deliver'],
    [api.completeOrder, 'complete'],
    [api.cancelOrder, 'cancel'],
    [api.rejectOrder, 'reject'],
    [api.disputeOrder, 'dispute'],
    [api.proposeRefund, 'propose-refund'],
    [api.approveRefund, 'approve-refund'],
  ] as const;
  for (const [operation, action] of actions) {
    table.on(operation, ({ caller, params, body }) => orders.act(caller, params.order_id, action, body));
  }
}

type Shown = Pick<FakeOrder, 'record' | 'inputIds' | 'resultIds'>;

function showOrder(world: FakeDatabase, { record, inputIds, resultIds }: Shown, reader: FakeAgent): api.Order {
  const show = (ids: readonly string[]) =>
    ids.flatMap((id) => world.files.get(id) ?? []).map((file) => toFileRecord(file, true, reader.id));
  const [input_attachments, result_attachments] = [show(inputIds), show(resultIds)];
  return { ...record, input_attachments, result_attachments };
}

// Adds the current names, because participants may have changed them after the order was stored.
function withNames(world: FakeDatabase, { record, inputIds, resultIds }: FakeOrder): Shown {
  const customer = toAuthorRecord(world.agent(record.customer.id));
  const contractor = toAuthorRecord(world.agent(record.contractor.id));
  return { record: { ...record, customer, contractor }, inputIds, resultIds };
}

function isParticipant({ customer, contractor }: FakeOrder['record'], { id }: FakeAgent): boolean {
  return customer.id === id || contractor.id === id;
}

interface ActionBody {
  readonly operation_id: string;
  readonly expected_version: number;
  readonly confirmed_total_minor?: number;
  readonly result_text?: string;
  readonly result_attachment_ids?: readonly string[];
  readonly reason?: string;
}

class Orders {
  readonly #world: FakeDatabase;
  readonly #streams: EventStreams;

  constructor(world: FakeDatabase, streams: EventStreams) {
    this.#world = world;
    this.#streams = streams;
  }

  load(id: string, agent: FakeAgent): FakeOrder {
    const known = this.#world.orders.find(({ record }) => record.id === id);
    return requireOrRefuse(known !== undefined && isParticipant(known.record, agent) ? known : undefined, 'not_found');
  }

  create(creator: FakeAgent, body: api.NewOrder) {
    const terms = parseOfferTerms(body, creator.id);
    const command: FakeOrderCommand = { agentId: creator.id, orderId: null, action: 'create', body };
    const { answer, isRepeat } = this.#runOnce(creator, command, () => {
      checkOfferRules(this.#world, terms);
      const world = this.#world;
      const id = world.newId();
      const inputIds = terms.inputIds;
      prepareFileBinding(world, { ownerId: creator.id, purpose: 'order', ids: inputIds }, { kind: 'order', id })();
      const created_at = world.timestamp();
      const order: FakeOrder = {
        record: {
          id,
          state: 'offered',
          version: 1,
          author_id: creator.id,
          customer: toAuthorRecord(world.agent(terms.customerId)),
          contractor: toAuthorRecord(world.agent(terms.contractorId)),
          ...terms.content,
          fee_mode: 'on_top',
          result_text: null,
          refund_proposal: null,
          outcome: null,
          created_at,
          updated_at: created_at,
        },
        inputIds,
        resultIds: [],
        history: [],
      };
      world.orders.push(order);
      return this.#publish(order, 'create', creator, null);
    });
    return makeReply(isRepeat ? 200 : 201, { order: answer });
  }

  act(actor: FakeAgent, orderId: string, action: api.OrderAction, body: ActionBody) {
    if (action === 'deliver') refuseEmptyDelivery(body);
    const { answer } = this.#runOnce(actor, { agentId: actor.id, orderId, action, body }, () => {
      const order = this.load(orderId, actor);
      const { record } = order;
      const decision = api.decideOrderAction(record, {
        action,
        actorId: actor.id,
        expectedVersion: body.expected_version,
      });
      if (!decision.allowed) throw new FakeRefusal(decision.code, `This agent cannot ${action} the order now.`);
      this.#apply(order, decision.transition, actor, body);
      return this.#publish(order, action, actor, body.reason ?? null);
    });
    return makeReply(200, { order: answer });
  }

  #apply(
    order: FakeOrder,
    { action, to, outcome, money }: api.OrderTransition,
    actor: FakeAgent,
    body: ActionBody,
  ): void {
    const world = this.#world;
    const { record } = withNames(world, order);
    if (action === 'accept') checkAcceptanceRules(world, record, actor.id, body.confirmed_total_minor);
    const resultIds = action === 'deliver' ? (body.result_attachment_ids ?? []) : order.resultIds;
    const newIds = action === 'deliver' ? resultIds : [];
    const target = { kind: 'order', id: record.id } as const;
    const bind = prepareFileBinding(world, { ownerId: actor.id, purpose: 'order', ids: newIds }, target);
    if (money !== null) moveCredits(world, money, record, body.operation_id);
    bind();
    const updated_at = world.timestamp();
    const proposal = { proposed_by: actor.id, reason: body.reason ?? '', created_at: updated_at };
    order.resultIds = resultIds;
    order.record = {
      ...record,
      state: to,
      version: record.version + 1,
      outcome: outcome ?? record.outcome,
      result_text: action === 'deliver' ? (body.result_text ?? null) : record.result_text,
      refund_proposal: action === 'propose-refund' ? proposal : record.refund_proposal,
      updated_at,
    };
  }

  #runOnce(agent: FakeAgent, command: FakeOrderCommand, work: () => FakeOrder) {
    const result = executeOnce(this.#world, command, work);
    // Refuses with `not_found` if the order belongs to other agents, even if the operation id was used before (§8.11).
    if (result === 'conflict' && command.orderId !== null) this.load(command.orderId, agent);
    if (result === 'conflict') {
      throw new FakeRefusal('idempotency_conflict', 'This operation_id belongs to another command.');
    }
    return { answer: showOrder(this.#world, result.shown, agent), isRepeat: result.isRepeat };
  }

  /** Both participants receive an event, including the one that acted (§7.13). */
  #publish(order: FakeOrder, action: 'create' | api.OrderAction, actor: FakeAgent, reason: string | null): FakeOrder {
    const { id, state, version, customer, contractor, updated_at } = order.record;
    order.history.push({ action, participant_id: actor.id, state, version, reason, created_at: updated_at });
    const payload: api.OrderChanged = { order_id: id, status: state, version };
    for (const participant of [customer, contractor]) {
      this.#streams.announce(participant.id, { kind: 'order.changed', payload, peerId: null, expiresMs: null });
    }
    return order;
  }
}
