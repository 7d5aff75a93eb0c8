import { randomUUID } from 'node:crypto';
import {
  type Changeable,
  inAnswer,
  inRequest,
  isAbout,
  json,
  type Mutant,
  mutant,
  otherStatus,
  parse,
  refusal,
} from '../faults.ts';
import { creation, inOffer, inOrders, insteadOf, quoting } from '../order-faults.ts';
import type { PassingAnswer } from '../proxy.ts';

const isOffer = (request: Parameters<typeof isAbout>[0]) => isAbout(request, creation);

/** Servers that price or make offers wrongly. */
export const offerMutants: readonly Mutant[] = [
  inQuote('rounds commissions down', (seen) => {
    seen['fee_minor'] = Math.floor((Number(seen['amount_minor']) * Number(seen['fee_bps'])) / 10_000);
    seen['total_minor'] = Number(seen['amount_minor']) + Number(seen['fee_minor']);
  }),
  inQuote('rounds commissions up', (seen) => {
    seen['fee_minor'] = Math.ceil((Number(seen['amount_minor']) * Number(seen['fee_bps'])) / 10_000);
    seen['total_minor'] = Number(seen['amount_minor']) + Number(seen['fee_minor']);
  }),
  inQuote('leaves the commission out of the total', (seen) => (seen['total_minor'] = seen['amount_minor'])),
  inQuote('names another rate than it takes', (seen) => (seen['fee_bps'] = 500)),
  inQuote('loses digits of large amounts', (seen) => {
    if (Number(seen['amount_minor']) > 1e9) seen['fee_minor'] = Number(seen['fee_minor']) - 1;
  }),
  mutant('answers 201 to quotes', ['quote.price'], () => otherStatus(quoting, 200, 201)),
  mutant('quotes more than may be reserved', ['quote.bound'], () =>
    inRequest(quoting, (body) => (Number(body['amount_minor']) > 1e11 ? { amount_minor: 909_090_909_091 } : body)),
  ),
  mutant('quotes less than may be reserved', ['quote.bound'], () => ({
    onRequest: (request) =>
      isAbout(request, quoting) && request.body.includes('909090909091') ? refusal(400, 'invalid_input') : request,
  })),
  ...(
    [
      ['takes texts for amounts', (amount: unknown) => (typeof amount === 'string' ? Number(amount) : amount)],
      ['takes true for an amount', (amount: unknown) => (amount === true ? 1 : amount)],
      ['takes fractions for amounts', (amount: unknown) => (amount === 4.5 ? 4 : amount)],
      ['takes nothing for an amount', (amount: unknown) => amount ?? 4],
    ] as const
  ).flatMap(([name, repair]) => [
    mutant(`${name} in quotes`, ['quote.amount'], () =>
      inRequest(quoting, (body) => ({ amount_minor: repair(body['amount_minor']) })),
    ),
    mutant(`${name} in offers`, ['offers.amount'], () => inOffer('amount_minor', repair)),
  ]),
  mutant('offers more than may be reserved', ['offers.amount'], () =>
    inOffer('amount_minor', (amount) => (Number(amount) > 909_090_909_091 ? 909_090_909_091 : amount)),
  ),
  mutant('answers 200 to a new offer', ['offers.made', 'races.offers'], () => otherStatus(creation, 201, 200)),
  mutant('answers 201 to repeated offers', ['offers.repeated', 'races.offers', 'orders.lifecycle-to-rejection'], () =>
    otherStatus(creation, 200, 201),
  ),
  mutant('answers an order without its container', ['offers.made'], () =>
    inAnswer(creation, 201, ({ order }) => order),
  ),
  ...(
    [
      ['offers nothing', 'state', 'funded'],
      ['has texts for versions', 'version', '1'],
      ['has no title', 'title', ''],
      ['has no description', 'description', ''],
      ['puts deadlines off', 'deadline', '2100-01-01T00:00:00.000Z'],
      ['takes the commission out of the reward', 'fee_mode', 'included'],
      ['takes no commission of offers', 'fee_minor', 0],
      ['takes another rate than it quoted', 'fee_bps', 900],
      ['has no list of files', 'input_attachments', null],
      ['has no list of results', 'result_attachments', null],
      ['forgets the contractor', 'contractor', null],
    ] as const
  ).map(([name, member, value]) =>
    mutant(name, ['offers.made'], () => inOrders((order) => (order[member] = value), isOffer)),
  ),
  mutant('turns the two around', ['offers.made'], () =>
    inOrders((order) => Object.assign(order, { customer: order['contractor'], contractor: order['customer'] })),
  ),
  mutant('reads orders without their history', ['orders.lifecycle-to-cancellation'], () =>
    inAnswer('GET /api/v1/orders/*', 200, ({ order }) => ({ order })),
  ),
  repairs('cuts long titles', 'offers.texts', 'title', (title) => cut(title, 160)),
  repairs('cuts titles at 100', 'offers.texts', 'title', (title) => cut(title, 100)),
  repairs('cuts long descriptions', 'offers.texts', 'description', (text) => cut(text, 8000)),
  repairs('cuts descriptions at 4000', 'offers.texts', 'description', (text) => cut(text, 4000)),
  repairs('takes numbers for titles', 'offers.texts', 'title', (title) => (title === 7 ? '7' : title)),
  repairs('takes deadlines that have passed', 'offers.deadline', 'deadline', (deadline) =>
    Date.parse(String(deadline)) < Date.now() ? tomorrow() : deadline,
  ),
  repairs('takes deadlines without a zone', 'offers.deadline', 'deadline', (deadline) =>
    typeof deadline === 'string' && !deadline.endsWith('Z') && deadline !== 'soon' ? tomorrow() : deadline,
  ),
  repairs('takes words for deadlines', 'offers.deadline', 'deadline', (deadline) =>
    deadline === 'soon' ? tomorrow() : deadline,
  ),
  repairs('takes numbers for deadlines', 'offers.deadline', 'deadline', (deadline) =>
    typeof deadline === 'number' ? tomorrow() : deadline,
  ),
  ...[undefined, 'no-uuid', 7].map((wrong) =>
    repairs(`takes ${wrong ?? 'nothing'} for an operation_id`, 'offers.operation-id', 'operation_id', (id) =>
      id === wrong ? randomUUID() : id,
    ),
  ),
  mutant('takes the first of two counterparts', ['offers.counterpart'], () =>
    inRequest(creation, (body) => (body['customer_id'] ? { ...body, contractor_id: undefined } : body)),
  ),
  mutant('offers to nobody', ['offers.counterpart'], () => ({
    onRequest: (request) =>
      isOffer(request) && !/(customer|contractor)_id/.test(request.body) ? json(201, { order: {} }) : request,
  })),
  mutant('asks for no confirmation', ['offers.confirmation'], () =>
    inOffer('confirmed_total_minor', (confirmed, { contractor_id: contractor }) =>
      contractor === undefined ? confirmed : (confirmed ?? 17),
    ),
  ),
  ...[16, 18].map((wrong) =>
    repairs(`takes ${wrong} for 17`, 'offers.confirmation', 'confirmed_total_minor', (confirmed) =>
      confirmed === wrong ? 17 : confirmed,
    ),
  ),
  repairs('takes texts for confirmations', 'offers.confirmation', 'confirmed_total_minor', (confirmed) =>
    typeof confirmed === 'string' ? Number(confirmed) : confirmed,
  ),
  mutant('names another code for another price', ['offers.confirmation', 'orders.accept-confirmation'], () =>
    insteadOf(
      ({ body }) => body.includes('"price_changed"'),
      () => refusal(409, 'version_conflict'),
    ),
  ),
  mutant('calls strangers forbidden', ['offers.friendship', 'orders.after-a-block'], () =>
    insteadOf(
      ({ body }) => body.includes('"friendship_required"'),
      () => refusal(403, 'forbidden'),
    ),
  ),
  mutant('offers to strangers', ['offers.friendship', 'orders.after-a-block'], () =>
    insteadOf(
      ({ body }) => body.includes('"friendship_required"'),
      () => json(201, { order: { id: randomUUID() } }),
    ),
  ),
  mutant('makes every offer anew', ['offers.repeated', 'races.offers', 'orders.lifecycle-to-rejection'], () =>
    inOffer('operation_id', (id) => (isUuidText(id) ? randomUUID() : id)),
  ),
  mutant('passes over what is changed in a repeated offer', ['offers.repeated'], () => {
    const made = new Map<unknown, PassingAnswer>();
    const idOf = (body: string) => parse(body)?.['operation_id'];
    return {
      onRequest: (request) => (isOffer(request) ? (made.get(idOf(request.body)) ?? request) : request),
      onAnswer: (answer, request) => {
        if (isOffer(request) && answer.status === 201) made.set(idOf(request.body), { ...answer, status: 200 });
        return answer;
      },
    };
  }),
  ...(['title', 'description', 'deadline', 'amount_minor'] as const).map((name) =>
    mutant(`passes over another ${name} of a repeated offer`, ['offers.repeated'], () => {
      const first = new Map<unknown, unknown>();
      return inOffer(name, (value, { operation_id: id }) => {
        if (!first.has(id)) first.set(id, value);
        return first.get(id);
      });
    }),
  ),
  mutant('calls a conflict malformed', ['offers.repeated', 'orders.changed-commands'], () =>
    insteadOf(
      ({ body }) => body.includes('"idempotency_conflict"'),
      () => refusal(400, 'idempotency_conflict'),
    ),
  ),
];

function inQuote(name: string, damage: (quote: Changeable) => unknown): Mutant {
  return mutant(name, ['quote.price'], () =>
    inAnswer(quoting, 200, (body) => {
      damage(body['quote'] as Changeable);
    }),
  );
}

function repairs(name: string, check: string, member: string, repair: (value: unknown) => unknown): Mutant {
  return mutant(name, [check], () => inOffer(member, repair));
}

function cut(text: unknown, length: number): unknown {
  return typeof text === 'string' ? text.slice(0, length) : text;
}

function tomorrow(): string {
  return new Date(Date.now() + 86_400_000).toISOString();
}

function isUuidText(value: unknown): boolean {
  return typeof value === 'string' && value.length === 36;
}
