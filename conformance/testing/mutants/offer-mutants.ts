import { randomUUID } from 'node:crypto';
import { faultsOf } from '../fault-language.ts';
import { type Changeable, field, inside, isAbout, parse, refusal, reply, request, requestWhen } from '../faults.ts';
import { creation, inOrders, quoting } from '../order-faults.ts';
import type { Fault, PassingRequest } from '../passing.ts';
import { repeatsReplies } from '../stateful-faults.ts';

const isOffer = (passing: PassingRequest) => isAbout(passing, creation);
const inOffer = (name: string, repair: (value: unknown, offer: Changeable) => unknown) => field(creation, name, repair);
const inQuote = (damage: (quote: Changeable) => unknown) => reply(`${quoting} 200`, inside('quote', damage));
const asNumber = (value: unknown) => (typeof value === 'string' ? Number(value) : value);
/** Replaces the values that a function selects. */
const takes = (name: string, isWrong: (value: unknown) => boolean, become: () => unknown) =>
  inOffer(name, (value) => (isWrong(value) ? become() : value));
const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString();
const rounded = (round: (value: number) => number) =>
  inQuote((quote) => {
    const { amount_minor: amount, fee_bps: bps } = quote;
    quote['fee_minor'] = round((Number(amount) * Number(bps)) / 10_000);
    quote['total_minor'] = Number(amount) + Number(quote['fee_minor']);
  });
const repeatable = ['title', 'description', 'deadline', 'amount_minor'];
const order = '201 {"order":{"id":"01a1fdfe-0000-4000-8000-000000000000"}}';

/** Servers that price or make offers wrongly. */
export const offerMutants = faultsOf(
  'offers',
  `
rounds commissions down | quote.price | = roundsDown
rounds commissions up | quote.price | = roundsUp
leaves the commission out of the total | quote.price | = wrongTotal
names another rate than it takes | quote.price | POST /orders/quote 200 -> set quote.fee_bps 500
loses digits of large amounts | quote.price | = losesDigits
answers 201 to quotes | quote.price | POST /orders/quote 200 -> 201
quotes more than may be reserved | quote.bound | = quotesMore
quotes less than may be reserved | quote.bound | POST /orders/quote sent:'909090909091' <- 400 invalid_input
takes texts for amounts in quotes | quote.amount | = textsInQuotes
takes texts for amounts in offers | amount | = textsInOffers
takes true for an amount in quotes | quote.amount | POST /orders/quote <- change amount_minor true 1
takes true for an amount in offers | amount | POST /orders <- change amount_minor true 1
takes fractions for amounts in quotes | quote.amount | POST /orders/quote <- change amount_minor 4.5 4
takes fractions for amounts in offers | amount | POST /orders <- change amount_minor 4.5 4
takes nothing for an amount in quotes | quote.amount | POST /orders/quote <- default amount_minor 4
takes nothing for an amount in offers | amount | POST /orders <- default amount_minor 4
offers more than may be reserved | amount | = offersMore
answers 200 to a new offer | made races.offers | POST /orders 201 -> 200
answers 201 to repeated offers | repeated races.offers orders.lifecycle-to-rejection | POST /orders 200 -> 201
answers an order without its container | made | POST /orders 201 -> unwrap order
offers nothing | made | POST /orders 201 -> set order.state "funded"
has texts for versions | made | POST /orders 201 -> set order.version "1"
has no title | made | POST /orders 201 -> set order.title ""
has no description | made | POST /orders 201 -> set order.description ""
puts deadlines off | made | POST /orders 201 -> set order.deadline "2100-01-01T00:00:00.000Z"
takes the commission out of the reward | made | POST /orders 201 -> set order.fee_mode "included"
takes no commission of offers | made | POST /orders 201 -> set order.fee_minor 0
takes another rate than it quoted | made | POST /orders 201 -> set order.fee_bps 900
has no list of files | made | POST /orders 201 -> set order.input_attachments null
has no list of results | made | POST /orders 201 -> set order.result_attachments null
forgets the contractor | made | POST /orders 201 -> set order.contractor null
swaps customer and contractor | made | = swaps
reads orders without their history | orders.lifecycle-to-cancellation | GET /orders/* 200 -> drop events
cuts long titles | texts | POST /orders <- cut title 160
cuts titles at 100 | texts | POST /orders <- cut title 100
cuts long descriptions | texts | POST /orders <- cut description 8000
cuts descriptions at 4000 | texts | POST /orders <- cut description 4000
takes numbers for titles | texts | POST /orders <- change title 7 "7"
takes deadlines that have passed | deadline | = takesPast
takes deadlines without a zone | deadline | = takesLocal
takes words for deadlines | deadline | = takesWords
takes numbers for deadlines | deadline | = takesNumbers
takes nothing for an operation_id | operation-id | = newOperation undefined
takes no-uuid for an operation_id | operation-id | = newOperation no-uuid
takes 7 for an operation_id | operation-id | = newOperation 7
takes the first of two counterparts | counterpart | = firstCounterpart
takes offers without a counterpart | counterpart | = noCounterpart
requires no confirmation | confirmation | = noConfirmation
takes 16 for 17 | confirmation | POST /orders <- change confirmed_total_minor 16 17
takes 18 for 17 | confirmation | POST /orders <- change confirmed_total_minor 18 17
takes texts for confirmations | confirmation | = textConfirmations
names another code for another price | confirmation orders.accept-confirmation | * price_changed -> 409 version_conflict
calls strangers forbidden | friendship orders.after-a-block | * friendship_required -> 403 forbidden
offers to strangers | friendship orders.after-a-block | * friendship_required -> ${order}
makes every offer anew | repeated races.offers orders.lifecycle-to-rejection | = newOperations
ignores the changes of a repeated offer | repeated | = repeatsReplies
${repeatable.map((name) => `ignores another ${name} of a repeated offer | repeated | = keeps ${name}\n`).join('')}
calls a conflict malformed | repeated orders.changed-commands | * idempotency_conflict -> 400 idempotency_conflict
`,
  {
    roundsDown: rounded(Math.floor),
    roundsUp: rounded(Math.ceil),
    wrongTotal: inQuote((quote) => (quote['total_minor'] = quote['amount_minor'])),
    losesDigits: inQuote((quote) => {
      if (Number(quote['amount_minor']) > 1e9) quote['fee_minor'] = Number(quote['fee_minor']) - 1;
    }),
    quotesMore: request(quoting, (body) =>
      Number(body['amount_minor']) > 1e11 ? { amount_minor: 909_090_909_091 } : body,
    ),
    textsInQuotes: field(quoting, 'amount_minor', asNumber),
    textsInOffers: inOffer('amount_minor', asNumber),
    offersMore: takes(
      'amount_minor',
      (amount) => Number(amount) > 909_090_909_091,
      () => 909_090_909_091,
    ),
    swaps: inOrders(
      (each) => Object.assign(each, { customer: each['contractor'], contractor: each['customer'] }),
      isOffer,
    ),
    takesPast: takes('deadline', (text) => Date.parse(String(text)) < Date.now(), tomorrow),
    takesLocal: takes('deadline', (text) => /^\d.*[^Z]$/.test(String(text)) && typeof text === 'string', tomorrow),
    takesWords: takes('deadline', (text) => text === 'soon', tomorrow),
    takesNumbers: takes('deadline', (text) => typeof text === 'number', tomorrow),
    ...Object.fromEntries(
      [undefined, 'no-uuid', 7].map((wrong) => [
        `newOperation ${wrong}`,
        takes('operation_id', (id) => id === wrong, randomUUID),
      ]),
    ),
    firstCounterpart: request(creation, (body) => (body['customer_id'] ? { ...body, contractor_id: undefined } : body)),
    noCounterpart: requestWhen((sent) => isOffer(sent) && !/(customer|contractor)_id/.test(sent.body), {
      ...refusal(201, ''),
      body: '{"order":{}}',
    }),
    noConfirmation: inOffer('confirmed_total_minor', (confirmed, { contractor_id: contractor }) =>
      contractor === undefined ? confirmed : (confirmed ?? 17),
    ),
    textConfirmations: inOffer('confirmed_total_minor', asNumber),
    newOperations: takes('operation_id', (id) => String(id).length === 36, randomUUID),
    repeatsReplies: repeatsReplies((sent) => (isOffer(sent) ? parse(sent.body)?.['operation_id'] : undefined), 200),
    ...Object.fromEntries(repeatable.map((name) => [`keeps ${name}`, () => keepsFirst(name)])),
  },
);

function keepsFirst(name: string): Fault {
  const first = new Map<unknown, unknown>();
  return inOffer(name, (value, { operation_id: id }) => {
    if (!first.has(id)) first.set(id, value);
    return first.get(id);
  });
}
