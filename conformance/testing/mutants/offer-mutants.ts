import { parseFaults } from '../fault-language.ts';
import { changeRequestJson, isAbout, type MutableObject, parseJsonObject } from '../faults.ts';
import { moveDeadlinesAhead } from '../order-faults.ts';
import type { Fault } from '../passing.ts';
import { repeatReplies } from '../stateful-faults.ts';

const creation = 'POST /api/v1/orders';
const order = '201 {"order":{"id":"01a1fdfe-0000-4000-8000-000000000000"}}';
const rounded = (round: (value: number) => number) => (quote: MutableObject) => {
  const amount = Number(quote['amount_minor']);
  const fee = round((amount * Number(quote['fee_bps'])) / 10_000);
  return { ...quote, fee_minor: fee, total_minor: amount + fee };
};

export const offerMutants = parseFaults(
  'offers',
  `
rounds commissions down | quote.price | POST /orders/quote 200 -> map quote roundedDown
rounds commissions up | quote.price | POST /orders/quote 200 -> map quote roundedUp
quotes more than may be reserved | quote.bound | POST /orders/quote <- map amount_minor reservable
quotes less than may be reserved | quote.bound | POST /orders/quote sent:'909090909091' <- 400 invalid_input
accepts quotes without an amount | quote.amount | POST /orders/quote <- default amount_minor 4
accepts offers without an amount | amount | POST /orders <- default amount_minor 4
offers more than may be reserved | amount | POST /orders <- map amount_minor reservable
answers an order without its container | made | POST /orders 201 -> unwrap order
has no title | made | POST /orders 201 -> set order.title ""
has no description | made | POST /orders 201 -> set order.description ""
has no list of files | made | POST /orders 201 -> set order.input_attachments null
has no list of results | made | POST /orders 201 -> set order.result_attachments null
forgets the contractor | made | POST /orders 201 -> set order.contractor null
swaps customer and contractor | made | POST /orders -> members customer=contractor contractor=customer
cuts long titles | texts | POST /orders <- cut title 160
takes deadlines that have passed | deadline | = movesDeadlinesAhead
takes words for deadlines | deadline | POST /orders <- change deadline "soon" "2126-01-01T00:00:00Z"
takes numbers for deadlines | deadline | POST /orders sent:'"deadline":[0-9]' <- set deadline "2126-01-01T00:00:00Z"
accepts offers without an operation_id | operation-id | POST /orders <- default operation_id uuid
accepts offers of suspended agents | suspension.acceptance | POST /orders/* participant_inactive -> 200 {"order":{}}
makes offers to suspended agents | suspension.offer | POST /orders participant_inactive -> ${order}
takes the first ten of eleven results | orders.eleven-result-files | POST /orders/* path:'/deliver$' <- cut result_attachment_ids 10
refuses orders with ten files | orders.eleven-files | POST /orders sent:'"input_attachment_ids":.("[^"]+",){9}"[^"]+"]' <- 400 invalid_input
takes offers without a counterpart | counterpart | POST /orders sent:'^(?!.*(customer|contractor)_id)' <- 201 {"order":{}}
requires no confirmation | confirmation | POST /orders sent:'contractor_id' <- default confirmed_total_minor 17
takes 16 for 17 | confirmation | POST /orders <- change confirmed_total_minor 16 17
takes 18 for 17 | confirmation | POST /orders <- change confirmed_total_minor 18 17
calls strangers forbidden | friendship orders.after-a-block | * friendship_required -> 403 forbidden
makes every offer anew | repeated races.offers orders.lifecycle-to-rejection | POST /orders sent:'"operation_id":".{36}"' <- set operation_id uuid
ignores the changes of a repeated offer | repeated | = repeatsReplies
ignores another <description deadline> of a repeated offer | repeated | = <>
`,
  {
    roundedDown: rounded(Math.floor),
    roundedUp: rounded(Math.ceil),
    reservable: (amount: unknown) => (Number(amount) > 909_090_909_091 ? 909_090_909_091 : amount),
  },
  {
    repeatsReplies: repeatReplies(
      (sent) => (isAbout(sent, creation) ? parseJsonObject(sent.body)?.['operation_id'] : undefined),
      200,
    ),
    movesDeadlinesAhead: moveDeadlinesAhead,
    description: () => keepsFirst('description'),
    deadline: () => keepsFirst('deadline'),
  },
);

function keepsFirst(name: string): Fault {
  const first = new Map<unknown, unknown>();
  return changeRequestJson(creation, (body) => {
    const id = body['operation_id'];
    if (!first.has(id)) first.set(id, body[name]);
    return { ...body, [name]: first.get(id) };
  });
}
