import { randomUUID } from 'node:crypto';
import { isSuspended, relation } from './agents.ts';
import { attachmentsOf, claimFiles, release } from './attachments.ts';
import { type Journal, type Records, type Stored, zoned } from './journal.ts';
import type { Asked, Told } from './serve.ts';
import {
  areIds,
  checkQuery,
  checkShape,
  Denied,
  id,
  isId,
  isInteger,
  isOneOf,
  isWords,
  paged,
  type Shape,
} from './shape.ts';
import { balanceOf, bookLines, type Line } from './wallets.ts';

const limitMinor = 1_000_000_000_000n;

/** The commission, in whole numbers of any size. */
function priceOf(amount: unknown) {
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 1) throw new Denied('invalid_input');
  const fee = (BigInt(amount) * 1000n + 5000n) / 10_000n;
  if (BigInt(amount) + fee > limitMinor) throw new Denied('invalid_input');
  return { amount, fee: Number(fee), total: amount + Number(fee) };
}

export function quotePrice({ body }: Asked): Told {
  checkShape(body, { amount_minor: wrong(isInteger) }, 'invalid_input');
  const { amount, fee, total } = priceOf(body['amount_minor']);
  return [200, { quote: { fee_bps: 1000, total_minor: total, fee_minor: fee, amount_minor: amount } }];
}

function wrong(test: (value: unknown) => boolean, needed = true) {
  return { test, code: 'invalid_input', needed };
}

function isMoment(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const parts = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.exec(value);
  if (parts === null || Number.isNaN(Date.parse(value))) return false;
  return Number(parts[3]) <= new Date(Date.UTC(Number(parts[1]), Number(parts[2]), 0)).getUTCDate();
}

const offer: Shape = {
  operation_id: wrong(isId),
  title: wrong(isWords(1, 160)),
  description: wrong(isWords(0, 8000), false),
  deadline: wrong(isMoment),
  amount_minor: wrong(isInteger),
  contractor_id: wrong(isId, false),
  customer_id: wrong(isId, false),
  confirmed_total_minor: wrong(isInteger, false),
  input_attachment_ids: wrong(areIds, false),
};

const command: Shape = { operation_id: wrong(isId), expected_version: wrong(isInteger) };
const reasoned: Shape = { ...command, reason: wrong(isWords(1, 2000)) };
const commands: Readonly<Record<string, Shape>> = {
  accept: { ...command, confirmed_total_minor: wrong(isInteger, false) },
  deliver: { ...command, result_text: wrong(isWords(0, 8000), false), result_attachment_ids: wrong(areIds, false) },
  dispute: reasoned,
  'propose-refund': reasoned,
  ...{ start: command, complete: command, cancel: command, reject: command, 'approve-refund': command },
};

function orderOf(journal: Journal, one: string, host: string, upTo = journal.length) {
  const order = journal.one('order', one, upTo);
  if (order === undefined) throw new Denied('not_found');
  return {
    ...{ fee_mode: 'on_top', fee_bps: 1000, outcome: order.outcome, result_text: order.resultText },
    ...{ total_minor: order.amount + order.fee, fee_minor: order.fee, amount_minor: order.amount },
    result_attachments: attachmentsOf(journal, order.results, host),
    input_attachments: attachmentsOf(journal, order.inputs, host),
    ...{ deadline: order.deadline, description: order.description, title: order.title },
    ...{ contractor: order.contractor, customer: order.customer },
    ...{ version: journal.versionOf(one, upTo), state: order.state, id: one },
  };
}

/** The stored order of an operation that came before. */
function replayed({ journal, me, host, body }: Asked, request: string) {
  const before = journal.one('operation', `${me} ${id(body['operation_id'], 'invalid_input')}`);
  if (before === undefined) return undefined;
  if (before.request !== request) throw new Denied('idempotency_conflict');
  return orderOf(journal, before.order, host, before.upTo);
}

const requestOf = (path: string, body: object) => `${path} ${JSON.stringify(body, Object.keys(body).toSorted())}`;

function conclude({ journal, me, body, host, tell }: Asked, order: string, request: string, status: number): Told {
  const upTo = journal.length;
  journal.begin('operation', { request, order, upTo }, `${me} ${id(body['operation_id'])}`);
  const told = orderOf(journal, order, host);
  for (const one of [told.customer, told.contractor])
    tell(one, 'order.changed', { version: told.version, status: told.state, order_id: order }, '');
  return [status, { order: told }];
}

export function createOffer(asked: Asked): Told {
  const { journal, me, body } = asked;
  checkShape(body, offer, 'invalid_input');
  if ((body['contractor_id'] === undefined) === (body['customer_id'] === undefined)) throw new Denied('invalid_input');
  const { amount, fee, total } = priceOf(body['amount_minor']);
  const other = id(body['contractor_id'] ?? body['customer_id']);
  const [customer, contractor] = body['customer_id'] === undefined ? [me, other] : [other, me];
  const request = requestOf('offer', body);
  const before = replayed(asked, request);
  if (before !== undefined) return [200, { order: before }];
  const confirmed = body['confirmed_total_minor'];
  const deadline = Date.parse(String(body['deadline']));
  if (deadline <= journal.now() || (customer === me && confirmed === undefined)) throw new Denied('invalid_input');
  if (isSuspended(journal, other)) throw new Denied('participant_inactive');
  if (relation(journal, me, other)?.status !== 'friends') throw new Denied('friendship_required');
  if (confirmed !== undefined && confirmed !== total) throw new Denied('price_changed');
  const inputs = ((body['input_attachment_ids'] ?? []) as string[]).map((one) => one.toUpperCase());
  const made = randomUUID().toUpperCase();
  const bind = claimFiles(journal, me, inputs, 'order', made);
  const texts = { title: String(body['title']), description: String(body['description'] ?? '') };
  const record: Records['order'] = {
    ...{
      author: me,
      by: me,
      command: 'create',
      customer,
      contractor,
      ...texts,
      deadline: zoned(deadline),
      amount,
      fee,
      inputs,
    },
    ...{ results: [], resultText: null, state: 'offered', proposer: '', outcome: null },
  };
  bind();
  journal.begin('order', record, made);
  return conclude(asked, made, request, 201);
}

function ownOrder({ journal, me, ids }: Asked): Stored<'order'> {
  const order = journal.one('order', id(ids[0]));
  if (order === undefined || ![order.customer, order.contractor].includes(me)) throw new Denied('not_found');
  return order;
}

export function tellOrder(asked: Asked): Told {
  const { journal, host } = asked;
  const order = ownOrder(asked);
  const events = journal.history('order', order.id).map(({ command: done, by, state, lastAt }, version) => ({
    ...{ time: zoned(lastAt), version, state, by, did: done },
  }));
  return [200, { events: events.toReversed(), order: orderOf(journal, order.id, host) }];
}

const states = ['offered', 'funded', 'in_progress', 'delivered', 'closed', 'cancelled', 'rejected', 'disputed'];

export function listOrders({ journal, me, query, host }: Asked): Told {
  checkQuery(query, { state: 'invalid_input', page: 'invalid_pagination', page_size: 'invalid_pagination' });
  const state = query.get('state');
  if (state !== null && !isOneOf(...states)(state)) throw new Denied('invalid_input');
  const mine = journal
    .all('order')
    .filter((order) => [order.customer, order.contractor].includes(me) && order.state === (state ?? order.state));
  return [200, { orders: paged(mine.toReversed(), query, 1000).map((order) => orderOf(journal, order.id, host)) }];
}

interface Step {
  readonly from: string;
  readonly to: string;
  readonly mayNot: (order: Stored<'order'>, me: string) => string | undefined;
}

const roleOf = (role: 'customer' | 'contractor' | 'author') => (order: Stored<'order'>, me: string) =>
  order[role] === me ? undefined : 'forbidden';
const notAuthor = ({ author }: Stored<'order'>, me: string) => (author === me ? 'counterparty_required' : undefined);
const anyParty = () => undefined;

const steps: Readonly<Record<string, Step>> = {
  accept: { from: 'offered', to: 'funded', mayNot: notAuthor },
  cancel: { from: 'offered', to: 'cancelled', mayNot: roleOf('author') },
  reject: { from: 'offered', to: 'rejected', mayNot: notAuthor },
  start: { from: 'funded', to: 'in_progress', mayNot: roleOf('contractor') },
  deliver: { from: 'in_progress', to: 'delivered', mayNot: roleOf('contractor') },
  complete: { from: 'delivered', to: 'closed', mayNot: roleOf('customer') },
  dispute: { from: 'funded in_progress delivered', to: 'disputed', mayNot: anyParty },
  'propose-refund': { from: 'funded in_progress delivered disputed', to: 'disputed', mayNot: anyParty },
  'approve-refund': {
    ...{ from: 'disputed', to: 'closed' },
    mayNot: ({ proposer }, me) => (proposer === me ? 'counterparty_required' : undefined),
  },
};

/** The further conditions of a command; the answer carries it out and names what changes. */
function decide(asked: Asked, order: Stored<'order'>, action: string): () => Partial<Records['order']> {
  const { journal, me, body } = asked;
  const total = order.amount + order.fee;
  const operation = id(body['operation_id']);
  if (action === 'accept') {
    const confirmed = body['confirmed_total_minor'];
    if (confirmed === undefined && order.customer === me) throw new Denied('invalid_input');
    if (confirmed !== undefined && confirmed !== total) throw new Denied('price_changed');
    if (Date.parse(order.deadline) <= journal.now()) throw new Denied('deadline_passed');
    if (isSuspended(journal, order.author)) throw new Denied('participant_inactive');
    if (relation(journal, order.customer, order.contractor)?.status !== 'friends')
      throw new Denied('friendship_required');
    if (balanceOf(journal, order.customer, 'available') < total) throw new Denied('insufficient_funds');
    return () => {
      bookLines(
        journal,
        'reserved',
        operation,
        order.id,
        [order.customer, 'reserved', total],
        [order.customer, 'available', -total],
      );
      return {};
    };
  }
  if (action === 'deliver') {
    const results = ((body['result_attachment_ids'] ?? []) as string[]).map((one) => one.toUpperCase());
    if (results.length === 0 && !body['result_text']) throw new Denied('invalid_input');
    const bind = claimFiles(journal, me, results, 'order', order.id);
    return () => {
      bind();
      return { results, resultText: typeof body['result_text'] === 'string' ? body['result_text'] : null };
    };
  }
  if (action === 'propose-refund' && order.proposer !== '') throw new Denied('refund_proposal_exists');
  if (action === 'propose-refund') return () => ({ proposer: me });
  if (action === 'approve-refund' && order.proposer === '') throw new Denied('refund_not_proposed');
  if (action !== 'complete' && action !== 'approve-refund') return () => ({});
  const outcome = action === 'complete' ? 'accepted' : 'refunded';
  return () => {
    const gain: Line =
      outcome === 'accepted' ? [order.contractor, 'available', order.amount] : [order.customer, 'available', total];
    bookLines(journal, outcome, operation, order.id, gain, [order.customer, 'reserved', -total]);
    return { outcome };
  };
}

export function commandOrder(asked: Asked): Told {
  const { journal, me, body, ids } = asked;
  const action = ids[1] ?? '';
  const step = Object.hasOwn(steps, action) ? steps[action] : undefined;
  const shape = commands[action];
  if (step === undefined || shape === undefined) throw new Denied('not_found');
  checkShape(body, shape, 'invalid_input');
  const order = ownOrder(asked);
  const request = requestOf(`${order.id} ${action}`, body);
  const before = replayed(asked, request);
  if (before !== undefined) return [200, { order: before }];
  const refusal = step.mayNot(order, me);
  if (refusal !== undefined) throw new Denied(refusal);
  if (!step.from.split(' ').includes(order.state)) throw new Denied('state_conflict');
  if (body['expected_version'] !== journal.versionOf(order.id)) throw new Denied('version_conflict');
  const change = decide(asked, order, action)();
  journal.change('order', order.id, { ...change, state: step.to, command: action, by: me });
  if (['closed', 'cancelled', 'rejected'].includes(step.to)) release(journal, [...order.inputs, ...order.results]);
  return conclude(asked, order.id, request, 200);
}
