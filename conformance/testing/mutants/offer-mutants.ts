import { faultsOf } from '../fault-language.ts';
import { type Changeable, isAbout, parse, request } from '../faults.ts';
import { movesDeadlinesAhead } from '../order-faults.ts';
import type { Fault } from '../passing.ts';
import { repeatsReplies } from '../stateful-faults.ts';

const creation = 'POST /api/v1/orders';
const order = '201 {"order":{"id":"01a1fdfe-0000-4000-8000-000000000000"}}';
const rounded = (round: (value: number) => number) => (quote: Changeable) => {
  const amount = Number(quote['amount_minor']);
  const fee = round((amount * Number(quote['fee_bps'])) / 10_000);
  return { ...quote, fee_minor: fee, total_minor: amount + fee };
};

/** Servers that price or make offers wrongly. */
export const offerMutants = faultsOf(
  'offers',
  `
rounds commissions down | quote.price | POST /orders/quote 200 -> map quote roundedDown
rounds commissions up | quote.price | POST /orders/quote 200 -> map quote roundedUp
leaves the commission out of the total | quote.price | POST /orders/quote 200 -> map quote withoutFee
names another rate than it takes | quote.price | POST /orders/quote 200 -> set quote.fee_bps 500
loses digits of large amounts | quote.price | POST /orders/quote 200 -> map quote losingDigits
answers 201 to quotes | quote.price | POST /orders/quote 200 -> 201
quotes more than may be reserved | quote.bound | POST /orders/quote <- map amount_minor reservable
quotes less than may be reserved | quote.bound | POST /orders/quote sent:'909090909091' <- 400 invalid_input
takes texts for amounts in quotes | quote.amount | POST /orders/quote <- number amount_minor
takes texts for amounts in offers | amount | POST /orders <- number amount_minor
takes true for an amount in quotes | quote.amount | POST /orders/quote <- change amount_minor true 1
takes true for an amount in offers | amount | POST /orders <- change amount_minor true 1
takes fractions for amounts in quotes | quote.amount | POST /orders/quote <- change amount_minor 4.5 4
takes fractions for amounts in offers | amount | POST /orders <- change amount_minor 4.5 4
takes nothing for an amount in quotes | quote.amount | POST /orders/quote <- default amount_minor 4
takes nothing for an amount in offers | amount | POST /orders <- default amount_minor 4
offers more than may be reserved | amount | POST /orders <- map amount_minor reservable
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
swaps customer and contractor | made | POST /orders -> members customer=contractor contractor=customer
reads an offer without its history | offers.made | GET /orders/* 200 -> drop events
reads orders without their history | orders.lifecycle-to-cancellation | GET /orders/* 200 -> drop events
cuts long titles | texts | POST /orders <- cut title 160
cuts titles at 100 | texts | POST /orders <- cut title 100
cuts long descriptions | texts | POST /orders <- cut description 8000
cuts descriptions at 4000 | texts | POST /orders <- cut description 4000
takes numbers for titles | texts | POST /orders <- change title 7 "7"
takes deadlines that have passed | deadline | = movesDeadlinesAhead
takes deadlines without a zone | deadline | POST /orders sent:'"deadline":"[0-9][^"]*[^Z]"' <- set deadline tomorrow
takes words for deadlines | deadline | POST /orders <- change deadline "soon" tomorrow
takes numbers for deadlines | deadline | POST /orders sent:'"deadline":[0-9]' <- set deadline tomorrow
takes nothing for an operation_id | operation-id | POST /orders <- default operation_id uuid
takes no-uuid for an operation_id | operation-id | POST /orders <- change operation_id "no-uuid" uuid
takes 7 for an operation_id | operation-id | POST /orders <- change operation_id 7 uuid
takes the first of two counterparts | counterpart | POST /orders sent:'"customer_id"' <- drop contractor_id
accepts offers of suspended agents | suspension.acceptance | POST /orders/* participant_inactive -> 200 {"order":{}}
makes offers to suspended agents | suspension.offer | POST /orders participant_inactive -> ${order}
takes two names of one counterpart | counterpart | = takesBoth
takes the first ten of eleven files | orders.eleven-files | POST /orders <- cut input_attachment_ids 10
takes any file for a result | orders.result-files | POST /orders/* path:'/deliver$' invalid_attachment -> 200 {"order":{}}
takes the first ten of eleven results | orders.eleven-result-files | POST /orders/* path:'/deliver$' <- cut result_attachment_ids 10
takes nine files for an order | orders.eleven-files | POST /orders sent:'"input_attachment_ids":.("[^"]+",){9}"[^"]+"]' <- 400 invalid_input
takes offers without a counterpart | counterpart | POST /orders sent:'^(?!.*(customer|contractor)_id)' <- 201 {"order":{}}
requires no confirmation | confirmation | POST /orders sent:'contractor_id' <- default confirmed_total_minor 17
takes 16 for 17 | confirmation | POST /orders <- change confirmed_total_minor 16 17
takes 18 for 17 | confirmation | POST /orders <- change confirmed_total_minor 18 17
takes texts for confirmations | confirmation | POST /orders <- number confirmed_total_minor
names another code for another price | confirmation orders.accept-confirmation | * price_changed -> 409 version_conflict
calls strangers forbidden | friendship orders.after-a-block | * friendship_required -> 403 forbidden
offers to strangers | friendship orders.after-a-block | * friendship_required -> ${order}
makes every offer anew | repeated races.offers orders.lifecycle-to-rejection | POST /orders sent:'"operation_id":".{36}"' <- set operation_id uuid
ignores the changes of a repeated offer | repeated | = repeatsReplies
ignores another <title description deadline amount_minor> of a repeated offer | repeated | = <>
calls a conflict malformed | repeated orders.changed-commands | * idempotency_conflict -> 400 idempotency_conflict
`,
  {
    roundedDown: rounded(Math.floor),
    roundedUp: rounded(Math.ceil),
    withoutFee: (quote: Changeable) => ({ ...quote, total_minor: quote['amount_minor'] }),
    losingDigits: (quote: Changeable) =>
      Number(quote['amount_minor']) > 1e9 ? { ...quote, fee_minor: Number(quote['fee_minor']) - 1 } : quote,
    reservable: (amount: unknown) => (Number(amount) > 909_090_909_091 ? 909_090_909_091 : amount),
  },
  {
    repeatsReplies: repeatsReplies(
      (sent) => (isAbout(sent, creation) ? parse(sent.body)?.['operation_id'] : undefined),
      200,
    ),
    takesBoth: request(creation, ({ customer_id: customer, ...body }) =>
      customer === body['contractor_id'] ? body : { ...body, customer_id: customer },
    ),
    movesDeadlinesAhead,
    title: () => keepsFirst('title'),
    description: () => keepsFirst('description'),
    deadline: () => keepsFirst('deadline'),
    amount_minor: () => keepsFirst('amount_minor'),
  },
);

function keepsFirst(name: string): Fault {
  const first = new Map<unknown, unknown>();
  return request(creation, (body) => {
    const id = body['operation_id'];
    if (!first.has(id)) first.set(id, body[name]);
    return { ...body, [name]: first.get(id) };
  });
}
