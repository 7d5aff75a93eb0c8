import { type Changeable, idIn, isAbout, parse, refusal, request, requestWhen, tokenOf } from '../faults.ts';
import { furtherMutants } from '../further-mutants.ts';
import { movesDeadlinesAhead } from '../order-faults.ts';
import type { Fault, PassingReply } from '../passing.ts';

// Orders: what an offer may say, who sees it, and how orders are listed.

const creation = 'POST /api/v1/orders';

const table = `
takes an offer with both counterparts | order creation: exactly one of contractor_id or customer_id | = both counterparts
fills in the confirmed total of a creating customer | order creation: confirmed_total_minor is required of a customer | = fills the total
takes a confirmed total above the price of an offer | order creation: price_changed where the total differs | = confirms more
takes a confirmed total below the price of an offer | order creation: price_changed where the total differs | = confirms less
takes a deadline without a time zone | order creation: deadline with time zone | POST /orders <- map deadline inUtc
takes a deadline that has passed | order creation: future deadline | = moves deadlines ahead
takes 161 characters of an order title | order title: 160 | POST /orders <- cut title 160
refuses the longest order title | order title: up to 160 | POST /orders sent:'"title":"[^"]{160}"' <- 400 invalid_input
counts the bytes of an order title | order title: up to 160 characters | = counts bytes
takes 8001 characters of a description | order description: 8000 | POST /orders <- cut description 8000
refuses the longest description | order description: up to 8000 | POST /orders sent:'"description":"[^"]{8000,8001}"' <- 400 invalid_input
refuses a description with a line break | order description: up to 8000, any text | POST /orders sent:'"description":"[^"]*\\\\n' <- 400 invalid_input
chooses an operation_id where an offer has none | order creation: operation_id is required | POST /orders <- default operation_id uuid
takes any text as operation_id of an offer | order creation: operation_id is a UUID | POST /orders <- map operation_id anyId
takes eleven input files | files in one set: up to 10 | POST /orders <- cut input_attachment_ids 10
refuses ten input files | files in one set: up to 10 | POST /orders sent:'"input_attachment_ids":.(?:"[^"]*",?){10}]' <- 404 invalid_attachment
leaves the files of other agents out of an offer | order creation: own files | = skips foreign files
leaves files of another purpose out of an offer | order creation: files with purpose order | = skips other purposes
makes the creator the customer in any case | order creation: the creator takes the other role | before insert on orders | if new.author_id = new.contractor_id then new.contractor_id := new.customer_id; new.customer_id := new.author_id; end if; return new;
keeps the day of a deadline alone | Order: deadline | before insert on orders | new.deadline := date_trunc('day', new.deadline); return new;
loses the description of an offer by a contractor | Order: description | before insert on orders | if new.author_id = new.contractor_id then new.description := ''; end if; return new;
keeps half of a long description | order description: 8000 | before insert on orders | new.description := left(new.description, 4000); return new;
shows the commission in percent | Order: fee_bps | * /orders* -> change order.fee_bps 1000 10
cuts titles in the list of orders | Order: title | GET /orders* has:'"orders"' -> cut orders[].title 20
serves any order that was read before | order detail: other agents get 404 | = caches details
answers the reading of a foreign order with 403 | a foreign order gives 404 | GET /orders/* 404 -> 403 forbidden
refuses a stranger's action with 403 | a foreign order gives 404 | POST /orders/* 404 not_found -> 403 forbidden
shows a party its own steps alone | order detail: history entries of every participant | = own steps
lists the orders of a customer alone | GET /orders: caller is customer or contractor | = customers list
lists closed orders no more | GET /orders: caller is customer or contractor | GET /orders* -> remove orders state "closed"
lists the oldest orders first | GET /orders: newest first | GET /orders* -> reverse orders
lists orders of every state | GET /orders: query state | GET /orders* <- query drop state
finds nothing by the state delivered | GET /orders: query state | GET /orders* path:'state=delivered' 200 -> set orders []
refuses the state rejected as a filter | GET /orders: state is an order state | GET /orders* path:'state=rejected' <- 400 invalid_input
refuses the largest page of orders | page_size: 1-50 | GET /orders* path:'page_size=50' <- 400 invalid_pagination
serves 51 orders a page | page_size: 1-50 | GET /orders* <- query change page_size 51 50
serves a page of no orders | page_size: 1-50 | GET /orders* <- query change page_size 0 1
refuses the last page of orders | page: 1-1000 | GET /orders* path:'page=1000(&|$)' <- 400 invalid_pagination
serves page 1001 of orders | page: 1-1000 | GET /orders* <- query change page 1001 1000
forgets the page of orders beside a state | GET /orders: page and state | GET /orders* path:'state=' <- query drop page
deletes an order on DELETE | only the described operations exist | DELETE /orders/* token <- 200 {"deleted":true}
`;

const priceOf = (amount: unknown) => Number(amount) + Math.floor((Number(amount) * 1000 + 5000) / 10_000);
const total = 'confirmed_total_minor';

export default furtherMutants(table, {
  values: {
    inUtc: (text: unknown) => (/T[\d:.]+$/.test(`${text}`) ? `${text}Z` : text),
    anyId: (text: unknown) => (idIn(`${text}`) === text ? text : '0b9a2f64-5f0e-4d0a-9c53-1f6d5c6a7b01'),
  },
  faults: {
    'both counterparts': request(creation, ({ customer_id, ...body }) =>
      customer_id === undefined || body['contractor_id'] !== undefined ? body : { ...body, customer_id },
    ),
    'fills the total': confirming((confirmed, price) => confirmed ?? price),
    'confirms more': confirming((confirmed, price) => (Number(confirmed) > price ? price : confirmed)),
    'confirms less': confirming((confirmed, price) => (Number(confirmed) < price ? price : confirmed)),
    'counts bytes': requestWhen(
      (passing) => isAbout(passing, creation) && Buffer.byteLength(`${parse(passing.body)?.['title']}`) > 160,
      () => refusal(400, 'invalid_input'),
    ),
    'skips foreign files': () => skipsFiles((file, token) => file.token !== token),
    'skips other purposes': () => skipsFiles((file) => file.purpose !== 'order'),
    'moves deadlines ahead': movesDeadlinesAhead,
    'caches details': cachesDetails,
    'own steps': () =>
      byAgent((body, id) => ({ ...body, events: keep(body['events'], (entry) => entry['participant_id'] === id) })),
    'customers list': () =>
      byAgent((body, id) => ({
        ...body,
        orders: keep(body['orders'], (order) => (order['customer'] as Changeable)['id'] === id),
      })),
  },
});

function confirming(become: (confirmed: unknown, price: number) => unknown): Fault {
  return request(creation, (body) =>
    body['contractor_id'] === undefined
      ? body
      : { ...body, [total]: become(body[total], priceOf(body['amount_minor'])) },
  );
}

function keep(list: unknown, isKept: (entry: Changeable) => boolean): unknown {
  return Array.isArray(list) ? list.filter(isKept) : list;
}

interface KnownFile {
  readonly token: string | undefined;
  readonly purpose: unknown;
}

/** Takes some files out of an offer in place of a refusal. */
function skipsFiles(isSkipped: (file: KnownFile, token: string | undefined) => boolean): Fault {
  const files = new Map<unknown, KnownFile>();
  return {
    onRequest: (passing) => {
      const body = isAbout(passing, creation) ? parse(passing.body) : undefined;
      const ids = body?.['input_attachment_ids'];
      if (!Array.isArray(ids)) return passing;
      const kept = ids.filter((id) => {
        const file = files.get(id);
        return file === undefined || !isSkipped(file, tokenOf(passing));
      });
      return { ...passing, body: JSON.stringify({ ...body, input_attachment_ids: kept }) };
    },
    onReply: (passing, sent) => {
      const attachment = isAbout(sent, 'POST /api/v1/attachments') ? parse(passing.body)?.['attachment'] : undefined;
      const { id, purpose } = (attachment ?? {}) as Changeable;
      if (id !== undefined) files.set(id, { token: tokenOf(sent), purpose });
      return passing;
    },
  };
}

/** Serves what a party has read to everybody. */
function cachesDetails(): Fault {
  const details = new Map<string, PassingReply>();
  return {
    onReply: (passing, sent) => {
      if (!isAbout(sent, 'GET /api/v1/orders/*')) return passing;
      if (passing.status === 200) details.set(sent.path, passing);
      return passing.status === 404 ? (details.get(sent.path) ?? passing) : passing;
    },
  };
}

/** Changes what an agent reads of orders, by its id. */
function byAgent(change: (body: Changeable, agentId: unknown) => unknown): Fault {
  const ids = new Map<string | undefined, unknown>();
  return {
    onReply: (passing, sent) => {
      const body = parse(passing.body);
      if (body === undefined) return passing;
      if (isAbout(sent, 'POST /api/v1/bots/register')) ids.set(`${body['token']}`, (body['bot'] as Changeable)?.['id']);
      const id = ids.get(tokenOf(sent));
      if (id === undefined || passing.status !== 200 || !isAbout(sent, 'GET /api/v1/orders*')) return passing;
      return { ...passing, body: JSON.stringify(change(body, id)) };
    },
  };
}
