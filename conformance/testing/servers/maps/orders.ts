import { randomUUID } from 'node:crypto';
import { parseId, readEnum, readIdList, readInteger, readTextMember, requireText, selectPage } from './fields.ts';
import { detachFiles, formatFileRecord, prepareFileBinding } from './files.ts';
import { type HandlerContext, type JsonAnswer, Refusal, type RequestBody } from './http.ts';
import {
  addPosting,
  contactOf,
  currentTimeOf,
  formatTimestamp,
  queueEvent,
  type ServerState,
  type StoredOrder,
  sumPostings,
} from './world.ts';

const feeBps = 1000;
const most = 10 ** 12;
const totalOf = ({ amount, fee }: Pick<StoredOrder, 'amount' | 'fee'>) => amount + fee;

function price(body: RequestBody) {
  const amount = readInteger(body, 'amount_minor');
  const fee = Math.floor((amount * feeBps + 5000) / 10_000);
  if (amount < 1 || amount + fee > most) throw new Refusal('invalid_input');
  return { amount, fee };
}

function quote({ body }: HandlerContext): JsonAnswer {
  const { amount, fee } = price(body);
  return [
    200,
    { quote: { amount_minor: amount, fee_minor: fee, total_minor: amount + fee, fee_bps: feeBps, currency: 'test' } },
  ];
}

function view(world: ServerState, order: StoredOrder, viewer: string) {
  const party = (id: string) => ({ bot_id: id, handle: world.bots.get(id)?.handle });
  const files = (list: readonly string[]) =>
    list.flatMap((id) => world.uploads.get(id) ?? []).map((upload) => formatFileRecord(world, upload, viewer));
  return {
    id: order.id,
    state: order.state,
    version: order.version,
    customer: party(order.customer),
    contractor: party(order.contractor),
    offered_by: order.author,
    title: order.title,
    description: order.description,
    deadline: order.deadline,
    amount_minor: order.amount,
    fee_minor: order.fee,
    total_minor: totalOf(order),
    fee_bps: feeBps,
    fee_mode: 'on_top',
    input_attachments: files(order.inputs),
    result_attachments: files(order.results),
    result_text: order.resultText ?? '',
    ...(order.outcome !== undefined && { outcome: order.outcome }),
  };
}

/** Parses a timestamp with a time zone into milliseconds since 1970; returns undefined for any other value. */
function moment(value: unknown): number | undefined {
  const parts =
    typeof value === 'string' ? /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)$/i.exec(value) : null;
  const day = parts?.[1];
  if (day === undefined || new Date(`${day}T00:00:00Z`).toJSON()?.slice(0, 10) !== day) return undefined;
  const ms = Date.parse(
    String(value)
      .replace(',', '.')
      .replace(/([+-]\d\d)(\d\d)$/, '$1:$2'),
  );
  return Number.isNaN(ms) ? undefined : ms;
}

/** Returns the stored answer to a request with this operation id; throws a refusal if that request was different. */
function earlier({ world, bot }: HandlerContext, operation: string, request: string): StoredOrder | undefined {
  const stored = world.operations.get(`${bot.id} ${operation}`);
  if (stored === undefined) return undefined;
  if (stored.request !== request) throw new Refusal('idempotency_conflict');
  return stored.answer;
}

function remember(
  { world, bot }: HandlerContext,
  order: StoredOrder,
  step: { operation: string; request: string; action: string },
): void {
  world.operations.set(`${bot.id} ${step.operation}`, { request: step.request, answer: { ...order } });
  const entry = {
    what: step.action,
    who: bot.id,
    became: order.state,
    revision: order.version,
    at: formatTimestamp(currentTimeOf(world)),
  };
  world.histories.set(order.id, [...(world.histories.get(order.id) ?? []), entry]);
  const payload = { order_id: order.id, status: order.state, version: order.version, by: bot.id };
  for (const one of [order.customer, order.contractor])
    if (one !== bot.id || step.action === 'offer') queueEvent(world, one, 'order.changed', payload);
}

/** Formats a request as text that does not depend on the order of its members, for comparisons. */
const comparable = (action: string, body: RequestBody) =>
  `${action} ${JSON.stringify(Object.entries(body).toSorted(([a], [b]) => (a < b ? -1 : 1)))}`;

function readOffer({ body, bot }: HandlerContext) {
  const title = requireText(body, 'title', { most: 160, least: 1 });
  const description = readTextMember(body, 'description', { most: 8000 }) ?? '';
  const deadline = moment(body['deadline']);
  if (deadline === undefined) throw new Refusal('invalid_input');
  const roles = ['contractor_id', 'customer_id'].filter((name) => body[name] !== undefined);
  const role = roles[0];
  if (role === undefined || roles.length !== 1) throw new Refusal('invalid_input');
  const other = parseId(body[role], 'invalid_input');
  const [customer, contractor] = role === 'contractor_id' ? [bot.id, other] : [other, bot.id];
  const confirmed =
    body['confirmed_total_minor'] === undefined ? undefined : readInteger(body, 'confirmed_total_minor');
  const inputs = readIdList(body, 'input_attachment_ids', 'invalid_input') ?? [];
  return { title, description, deadline, other, customer, contractor, confirmed, inputs, ...price(body) };
}

function create(call: HandlerContext): JsonAnswer {
  const { world, bot, body } = call;
  const operation = parseId(body['operation_id'], 'invalid_input');
  const request = comparable('offer', body);
  const { deadline, other, confirmed, ...fields } = readOffer(call);
  const before = earlier(call, operation, request);
  if (before !== undefined) return [200, { order: view(world, before, bot.id) }];
  if (deadline <= currentTimeOf(world) || other === bot.id) throw new Refusal('invalid_input');
  if (fields.customer === bot.id && confirmed === undefined) throw new Refusal('invalid_input');
  if (world.suspended.has(other)) throw new Refusal('participant_inactive');
  if (contactOf(world, bot.id, other)?.state !== 'friends') throw new Refusal('friendship_required');
  if (confirmed !== undefined && confirmed !== totalOf(fields)) throw new Refusal('price_changed');
  const bind = prepareFileBinding(world, bot.id, fields.inputs, 'order');
  const order: StoredOrder = {
    ...fields,
    id: randomUUID(),
    author: bot.id,
    deadline: formatTimestamp(deadline),
    since: currentTimeOf(world),
    state: 'offered',
    version: 7,
    results: [],
  };
  bind({ kind: 'order', id: order.id });
  world.orders.set(order.id, order);
  remember(call, order, { operation, request, action: 'offer' });
  return [201, { order: view(world, order, bot.id), hint: 'The other party decides.' }];
}

function own({ world, bot, ids: [id] }: HandlerContext): StoredOrder {
  const order = world.orders.get(parseId(id, 'invalid_id'));
  if (order === undefined || (order.customer !== bot.id && order.contractor !== bot.id)) throw new Refusal('not_found');
  return order;
}

function read(call: HandlerContext): JsonAnswer {
  const order = own(call);
  return [200, { order: view(call.world, order, call.bot.id), events: call.world.histories.get(order.id) }];
}

const states = ['offered', 'funded', 'in_progress', 'delivered', 'closed', 'cancelled', 'rejected', 'disputed'];

function list({ world, bot, query }: HandlerContext): JsonAnswer {
  const state = readEnum(query.get('state'), states, 'invalid_input');
  const mine = [...world.orders.values()].filter(
    (order) =>
      (order.customer === bot.id || order.contractor === bot.id) && (state === undefined || order.state === state),
  );
  const part = selectPage(query, 1000, mine.toReversed());
  return [200, { ...part, results: part.results.map((order) => view(world, order, bot.id)) }];
}

interface Rule {
  readonly from: readonly string[];
  readonly to: string;
  readonly who: 'recipient' | 'author' | 'contractor' | 'customer' | 'participant' | 'other than proposer';
}

const working = ['funded', 'in_progress', 'delivered'];
const rules: Readonly<Record<string, Rule>> = {
  accept: { from: ['offered'], to: 'funded', who: 'recipient' },
  cancel: { from: ['offered'], to: 'cancelled', who: 'author' },
  reject: { from: ['offered'], to: 'rejected', who: 'recipient' },
  start: { from: ['funded'], to: 'in_progress', who: 'contractor' },
  deliver: { from: ['in_progress'], to: 'delivered', who: 'contractor' },
  complete: { from: ['delivered'], to: 'closed', who: 'customer' },
  dispute: { from: working, to: 'disputed', who: 'participant' },
  'propose-refund': { from: [...working, 'disputed'], to: 'disputed', who: 'participant' },
  'approve-refund': { from: ['disputed'], to: 'closed', who: 'other than proposer' },
};

function checkCaller({ bot }: HandlerContext, order: StoredOrder, { who }: Rule): void {
  if (who === 'other than proposer') {
    if (order.refundBy === undefined) throw new Refusal('refund_not_proposed');
    if (order.refundBy === bot.id) throw new Refusal('counterparty_required');
  }
  if (who === 'recipient' && order.author === bot.id) throw new Refusal('counterparty_required');
  if (who === 'author' && order.author !== bot.id) throw new Refusal('forbidden');
  if ((who === 'contractor' || who === 'customer') && order[who] !== bot.id) throw new Refusal('forbidden');
}

type Effect = (order: StoredOrder) => void;
const nothing: Effect = () => {};

function accepting(call: HandlerContext, order: StoredOrder): Effect {
  const { world, bot, body } = call;
  const total = totalOf(order);
  const confirmed =
    body['confirmed_total_minor'] === undefined ? undefined : readInteger(body, 'confirmed_total_minor');
  if (order.customer === bot.id && confirmed === undefined) throw new Refusal('invalid_input');
  if (world.suspended.has(order.author)) throw new Refusal('participant_inactive');
  if (contactOf(world, order.customer, order.contractor)?.state !== 'friends') throw new Refusal('friendship_required');
  if (Date.parse(order.deadline) <= currentTimeOf(world)) throw new Refusal('deadline_passed');
  if (confirmed !== undefined && confirmed !== total) throw new Refusal('price_changed');
  if (sumPostings(world, order.customer, 'spendable') < total) throw new Refusal('insufficient_funds');
  return move(call, order, 'hold', [order.customer, 'spendable', -total], [order.customer, 'held', total]);
}

type Line = readonly [owner: string, account: 'spendable' | 'held', change: number];

function move({ world, body }: HandlerContext, order: StoredOrder, kind: string, ...lines: readonly Line[]): Effect {
  return () => {
    const entry = { kind, transaction: randomUUID(), operation: String(body['operation_id']), order: order.id };
    for (const [owner, account, change] of lines)
      if (change !== 0) addPosting(world, { owner, account, change, ...entry });
  };
}

function delivering({ world, bot, body }: HandlerContext): Effect {
  const words = readTextMember(body, 'result_text', { most: 8000 });
  const results = readIdList(body, 'result_attachment_ids', 'invalid_input') ?? [];
  if (!words && results.length === 0) throw new Refusal('invalid_input');
  const bind = prepareFileBinding(world, bot.id, results, 'order');
  return (order) => {
    bind({ kind: 'order', id: order.id });
    Object.assign(order, { results, ...(words !== undefined && { resultText: words }) });
  };
}

function closing(call: HandlerContext, order: StoredOrder, outcome: 'accepted' | 'refunded'): Effect {
  const { customer, contractor, amount } = order;
  const total = totalOf(order);
  const [receiver, sum] = outcome === 'accepted' ? [contractor, amount] : [customer, total];
  const pay = move(
    call,
    order,
    outcome === 'accepted' ? 'earn' : 'give_back',
    [customer, 'held', -total],
    [receiver, 'spendable', sum],
  );
  return (changed) => {
    pay(changed);
    changed.outcome = outcome;
    detachFiles(call.world, [...changed.inputs, ...changed.results]);
  };
}

function effectOf(call: HandlerContext, order: StoredOrder, action: string): Effect {
  if (action === 'accept') return accepting(call, order);
  if (action === 'deliver') return delivering(call);
  if (action === 'complete') return closing(call, order, 'accepted');
  if (action === 'approve-refund') return closing(call, order, 'refunded');
  if (action !== 'propose-refund') return nothing;
  if (order.refundBy !== undefined) throw new Refusal('refund_proposal_exists');
  return (changed) => Object.assign(changed, { refundBy: call.bot.id });
}

function act(call: HandlerContext): JsonAnswer {
  const { world, bot, body } = call;
  const action = call.ids[1] ?? '';
  const rule = rules[action];
  if (rule === undefined) throw new Refusal('not_found');
  const order = own(call);
  const operation = parseId(body['operation_id'], 'invalid_input');
  const expected = readInteger(body, 'expected_version');
  if (action === 'dispute' || action === 'propose-refund') requireText(body, 'reason', { most: 2000, least: 1 });
  const request = comparable(`${action} ${order.id}`, body);
  const before = earlier(call, operation, request);
  if (before !== undefined) return [200, { order: view(world, before, bot.id) }];
  if (expected !== order.version) throw new Refusal('version_conflict');
  if (!rule.from.includes(order.state)) throw new Refusal('state_conflict');
  checkCaller(call, order, rule);
  effectOf(call, order, action)(order);
  order.state = rule.to;
  order.version += 5;
  remember(call, order, { operation, request, action });
  if (['cancelled', 'rejected'].includes(order.state)) detachFiles(world, order.inputs);
  return [200, { order: view(world, order, bot.id) }];
}

export const orderHandlers = { quote, create, read, list, act };
