import {
  type FaultRow,
  faultTable,
  field,
  isAbout,
  items,
  json,
  parse,
  path,
  query,
  reply,
  tokenOf,
} from '../faults.ts';
import { creation, detail, inAction, isAction } from '../order-faults.ts';
import type { Fault, PassingRequest } from '../passing.ts';
import { lendsToEverybody, lendsTokens } from '../stateful-faults.ts';

const list = 'GET /api/v1/orders';
const lends = (isMeant: (request: PassingRequest) => boolean) => lendsToEverybody('order', isMeant);

const foreignActions = ['cancel', 'dispute', 'approve-refund'].map(
  (action): FaultRow => [`lets everybody ${action}`, 'strangers', lends((passing) => isAction(passing, action))],
);
const wrongPages = (
  [
    ['page', '0', '1'],
    ['page', '1001', '1000'],
    ['page', 'x', '1'],
    ['page_size', '0', '1'],
    ['page_size', '51', '50'],
  ] as const
).map(
  ([name, wrong, right]): FaultRow => [
    `takes ${wrong} for a ${name} of orders`,
    'page-bounds',
    query(list, (parameters) => parameters.get(name) === wrong && parameters.set(name, right)),
  ],
);

/** Servers that list orders and their files wrongly, or show them to the wrong callers. */
export const orderReadingMutants = faultTable('orders', [
  ['answers orders to anybody', 'access', lendsTokens((passing) => isAbout(passing, detail) || isAbout(passing, list))],
  ['takes offers of anybody', 'access', lendsTokens((passing) => isAbout(passing, creation))],
  ['takes actions of anybody', 'access', lendsTokens((passing) => isAction(passing))],
  ['shows orders to everybody', 'strangers', lends((passing) => isAbout(passing, detail))],
  ...foreignActions,
  [
    'lists the oldest orders first',
    'list',
    reply(
      `${list}?* 200`,
      items('orders', (orders) => orders.toReversed()),
    ),
  ],
  ['lists orders for customers alone', 'list', listsForCustomers],
  ['lists orders of every state', 'list-state', query(list, (parameters) => parameters.delete('state'))],
  [
    'lists fifty orders by default',
    'pages',
    query(list, (parameters) => parameters.has('page_size') || parameters.set('page_size', '50')),
  ],
  ['knows one page of orders', 'pages', query(list, (parameters) => parameters.delete('page'))],
  ...wrongPages,
  [
    'shows the files of orders to everybody',
    'input-files result-files',
    lendsToEverybody(
      'attachment',
      ({ method, path: sent }) => method !== 'POST' && sent.startsWith('/api/v1/attachments/'),
    ),
  ],
  ['ignores the files of offers', 'input-files wrong-files', field(creation, 'input_attachment_ids', () => undefined)],
  [
    'ignores the files of deliveries',
    'result-files',
    inAction(['deliver'], ({ result_attachment_ids: _, ...body }) => ({ result_text: '-', ...body })),
  ],
  ['gives contractors the preview alone', 'input-files result-files', path(/\/download$/, '/preview')],
]);

function listsForCustomers(): Fault {
  const known = new Map<string | undefined, unknown>();
  return {
    onReply: (passing, sent) => {
      const { order, orders, ...rest } = parse(passing.body) ?? {};
      const { author_id: author, customer } = (order ?? {}) as { author_id?: unknown; customer?: { id: unknown } };
      if (isAbout(sent, creation) && author === customer?.id) known.set(tokenOf(sent), author);
      if (!Array.isArray(orders)) return passing;
      const own = orders.filter((one) => one.customer.id === known.get(tokenOf(sent)));
      return json(200, { orders: own, ...rest });
    },
  };
}
