import {
  type Changeable,
  idIn,
  inQuery,
  isAbout,
  json,
  lendsToEverybody,
  type Mutant,
  mutant,
  parse,
  tokenOf,
} from '../faults.ts';
import { creation, inAction, inOffer, isAction, lendsTokens } from '../order-faults.ts';
import type { Fault } from '../proxy.ts';

const detail = 'GET /api/v1/orders/*';
const list = 'GET /api/v1/orders';

/** Servers that list orders and their files wrongly, or show them to the wrong ones. */
export const orderReadingMutants: readonly Mutant[] = [
  mutant('answers orders to anybody', ['orders.access'], () =>
    lendsTokens((request) => isAbout(request, detail) || isAbout(request, list)),
  ),
  mutant('takes offers of anybody', ['orders.access'], () => lendsTokens((request) => isAbout(request, creation))),
  mutant('takes actions of anybody', ['orders.access'], () => lendsTokens((request) => isAction(request))),
  mutant('shows orders to everybody', ['orders.strangers'], () => lendsOrders((request) => isAbout(request, detail))),
  ...['cancel', 'dispute', 'approve-refund'].map((action) =>
    mutant(`lets everybody ${action}`, ['orders.strangers'], () => lendsOrders((request) => isAction(request, action))),
  ),
  mutant('lists the oldest orders first', ['orders.list'], () => inList((orders) => orders.toReversed())),
  mutant('lists orders for customers alone', ['orders.list'], () => {
    const known = new Map<string | undefined, unknown>();
    return {
      onAnswer: (answer, request) => {
        const { order, orders, ...rest } = parse(answer.body) ?? {};
        const { author_id: author, customer } = (order ?? {}) as { author_id?: unknown; customer?: { id: unknown } };
        if (isAbout(request, creation) && author === customer?.id) known.set(tokenOf(request), author);
        if (!Array.isArray(orders)) return answer;
        const own = orders.filter((one) => one.customer.id === known.get(tokenOf(request)));
        return json(200, { orders: own, ...rest });
      },
    };
  }),
  mutant('lists orders of every state', ['orders.list-state'], () => inQuery(list, (query) => query.delete('state'))),
  mutant('lists fifty orders unless told otherwise', ['orders.pages'], () =>
    inQuery(list, (query) => query.has('page_size') || query.set('page_size', '50')),
  ),
  mutant('knows one page of orders', ['orders.pages'], () => inQuery(list, (query) => query.delete('page'))),
  ...(
    [
      ['page', '0', '1'],
      ['page', '1001', '1000'],
      ['page', 'x', '1'],
      ['page_size', '0', '1'],
      ['page_size', '51', '50'],
    ] as const
  ).map(([name, wrong, right]) =>
    mutant(`takes ${wrong} for a ${name} of orders`, ['orders.page-bounds'], () =>
      inQuery(list, (query) => query.get(name) === wrong && query.set(name, right)),
    ),
  ),
  mutant('shows the files of orders to everybody', ['orders.input-files', 'orders.result-files'], () =>
    lendsToEverybody(({ method, path }) => method !== 'POST' && path.startsWith('/api/v1/attachments/')),
  ),
  mutant('leaves the files of offers away', ['orders.input-files', 'orders.wrong-files'], () =>
    inOffer('input_attachment_ids', () => undefined),
  ),
  mutant('leaves the files of deliveries away', ['orders.result-files'], () =>
    inAction(['deliver'], ({ result_attachment_ids: _, ...body }) => ({ result_text: '-', ...body })),
  ),
  mutant('gives contractors the preview alone', ['orders.input-files', 'orders.result-files'], () => ({
    onRequest: (request) => ({ ...request, path: request.path.replace(/\/download$/, '/preview') }),
  })),
];

/** Lets everybody do with an order what its author may, where the request is meant. */
function lendsOrders(isMeant: (request: Parameters<typeof isAbout>[0]) => boolean): Fault {
  const authors = new Map<string, string>();
  return {
    onRequest: (request) => {
      const author = authors.get(idIn(request.path));
      const headers = { ...request.headers, authorization: `Bearer ${author}` };
      return author !== undefined && isMeant(request) ? { ...request, headers } : request;
    },
    onAnswer: (answer, request) => {
      const { order } = parse(answer.body) as { readonly order?: { readonly id: string } };
      const token = tokenOf(request);
      if (isAbout(request, creation) && order !== undefined && token !== undefined) authors.set(order.id, token);
      return answer;
    },
  };
}

function inList(change: (orders: readonly Changeable[]) => readonly Changeable[]): Fault {
  return {
    onAnswer: (answer, request) => {
      if (!request.path.startsWith('/api/v1/orders?') || answer.status !== 200) return answer;
      const { orders, ...rest } = parse(answer.body) as { readonly orders: readonly Changeable[] };
      return json(200, { orders: change(orders), ...rest });
    },
  };
}
