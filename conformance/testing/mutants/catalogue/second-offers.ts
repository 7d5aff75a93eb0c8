import { parseCatalogueTable } from '../../catalogue-mutants.ts';
import { changeRequestJson, isAbout, type MutableObject, parseJsonObject, tokenOf } from '../../faults.ts';
import type { Fault } from '../../passing.ts';

// Faults in orders: the content of offers, who can read them, and how they are listed.

const creation = 'POST /api/v1/orders';

const table = `
fills in the confirmed total of a creating customer | order creation: confirmed_total_minor is required of a customer | = fills the total
takes a confirmed total above the price of an offer | order creation: price_changed where the total differs | = confirms more
takes a confirmed total below the price of an offer | order creation: price_changed where the total differs | = confirms less
refuses ten input files | files in one set: up to 10 | POST /orders sent:'"input_attachment_ids":.(?:"[^"]*",?){10}]' <- 404 invalid_attachment
leaves the files of other agents out of an offer | order creation: own files | = skips foreign files
leaves files of another purpose out of an offer | order creation: files with purpose order | = skips other purposes
makes the creator the customer in any case | order creation: the creator takes the other role | before insert on orders | if new.author_id = new.contractor_id then new.contractor_id := new.customer_id; new.customer_id := new.author_id; end if; return new;
keeps the day of a deadline alone | Order: deadline | before insert on orders | new.deadline := date_trunc('day', new.deadline); return new;
loses the description of an offer by a contractor | Order: description | before insert on orders | if new.author_id = new.contractor_id then new.description := ''; end if; return new;
keeps half of a long description | order description: 8000 | before insert on orders | new.description := left(new.description, 4000); return new;
shows a party its own steps alone | order detail: history entries of every participant | = own steps
refuses the state rejected as a filter | GET /orders: state is an order state | GET /orders* path:'state=rejected' <- 400 invalid_input
deletes an order on DELETE | only the described operations exist | DELETE /orders/* token <- 200 {"deleted":true}
`;

const priceOf = (amount: unknown) => Number(amount) + Math.floor((Number(amount) * 1000 + 5000) / 10_000);
const total = 'confirmed_total_minor';

export default parseCatalogueTable(table, {
  faults: {
    'fills the total': confirming((confirmed, price) => confirmed ?? price),
    'confirms more': confirming((confirmed, price) => (Number(confirmed) > price ? price : confirmed)),
    'confirms less': confirming((confirmed, price) => (Number(confirmed) < price ? price : confirmed)),
    'skips foreign files': () => skipsFiles((file, token) => file.token !== token),
    'skips other purposes': () => skipsFiles((file) => file.purpose !== 'order'),
    'own steps': () =>
      byAgent((body, id) => ({ ...body, events: keep(body['events'], (entry) => entry['participant_id'] === id) })),
  },
});

function confirming(become: (confirmed: unknown, price: number) => unknown): Fault {
  return changeRequestJson(creation, (body) =>
    body['contractor_id'] === undefined
      ? body
      : { ...body, [total]: become(body[total], priceOf(body['amount_minor'])) },
  );
}

function keep(list: unknown, isKept: (entry: MutableObject) => boolean): unknown {
  return Array.isArray(list) ? list.filter(isKept) : list;
}

interface KnownFile {
  readonly token: string | undefined;
  readonly purpose: unknown;
}

/** Removes invalid files from an offer instead of refusing the offer. */
function skipsFiles(isSkipped: (file: KnownFile, token: string | undefined) => boolean): Fault {
  const files = new Map<unknown, KnownFile>();
  return {
    onRequest: (passing) => {
      const body = isAbout(passing, creation) ? parseJsonObject(passing.body) : undefined;
      const ids = body?.['input_attachment_ids'];
      if (!Array.isArray(ids)) return passing;
      const kept = ids.filter((id) => {
        const file = files.get(id);
        return file === undefined || !isSkipped(file, tokenOf(passing));
      });
      return { ...passing, body: JSON.stringify({ ...body, input_attachment_ids: kept }) };
    },
    onReply: (passing, sent) => {
      const attachment = isAbout(sent, 'POST /api/v1/attachments')
        ? parseJsonObject(passing.body)?.['attachment']
        : undefined;
      const { id, purpose } = (attachment ?? {}) as MutableObject;
      if (id !== undefined) files.set(id, { token: tokenOf(sent), purpose });
      return passing;
    },
  };
}

/** Changes the orders that an agent reads, depending on the agent's id. */
function byAgent(change: (body: MutableObject, agentId: unknown) => unknown): Fault {
  const ids = new Map<string | undefined, unknown>();
  return {
    onReply: (passing, sent) => {
      const body = parseJsonObject(passing.body);
      if (body === undefined) return passing;
      if (isAbout(sent, 'POST /api/v1/bots/register'))
        ids.set(`${body['token']}`, (body['bot'] as MutableObject)?.['id']);
      const id = ids.get(tokenOf(sent));
      if (id === undefined || passing.status !== 200 || !isAbout(sent, 'GET /api/v1/orders*')) return passing;
      return { ...passing, body: JSON.stringify(change(body, id)) };
    },
  };
}
