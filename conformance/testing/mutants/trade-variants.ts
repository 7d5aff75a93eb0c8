import { createHash } from 'node:crypto';
import {
  type Changeable,
  faultTable,
  field,
  isAbout,
  items,
  json,
  parse,
  path,
  refusal,
  renamed,
  reply,
  replyWhen,
  request,
  requestWhen,
} from '../faults.ts';
import { creation, detail, inAction, inOrders, isAction, isCommand, quoting } from '../order-faults.ts';
import type { Fault, PassingReply } from '../passing.ts';

const history = '/api/v1/wallet/history';
// The recipient in the observation: the id has a form, and no agent has it.
const nobody = '01a1fdfe-0000-4000-8000-000000000000';
const none = { amount_minor: 0, fee_minor: 0, total_minor: 0, fee_bps: 1000 };
const inHistory = (change: (entry: Changeable) => Changeable) =>
  reply(
    `GET ${history}* 200`,
    items('entries', (entries) => entries.map(change)),
  );
/** Gives another reply to the refusals of some offers. */
const refusedOffer = (isMeant: (offer: Changeable, reply: PassingReply) => boolean, becomes: PassingReply) =>
  replyWhen(
    (passing, sent) => isAbout(sent, creation) && passing.status >= 400 && isMeant(parse(sent.body) ?? {}, passing),
    becomes,
  );

/** Correct servers that differ where the specification says nothing about credits and orders. */
export const tradeVariants = faultTable('choice', [
  [
    'rename kinds and accounts',
    'ledger-kinds',
    inHistory((entry) => ({
      ...entry,
      kind: entry['kind'] === 'grant' ? 'grant' : `${entry['kind']}d`,
      account_kind: `${entry['account_kind']} credits`,
    })),
  ],
  [
    'leave out a missing order',
    'grant-entry',
    inHistory(({ order_id: order, ...entry }) => (order === null ? entry : { ...entry, order_id: order })),
  ],
  ['call a wrong limit wrong paging', 'history-code', reply(`GET ${history}?* 400`, 'invalid_pagination')],
  ['ignore parameters of the history', 'history-parameter', path('history?unheard=of', 'history')],
  [
    'price an amount of 0',
    'zero-amount',
    requestWhen((sent) => isAbout(sent, quoting) && sent.body === '{"amount_minor":0}', json(200, { quote: none })),
  ],
  ['have one code for the wrong role', 'wrong-role', reply('* * counterparty_required', refusal(403, 'forbidden'))],
  [
    'check versions first',
    'first-reason',
    replyWhen(
      ({ status }, sent) => isAction(sent) && status === 403 && sent.body.includes('999999'),
      refusal(409, 'version_conflict'),
    ),
  ],
  [
    'call an absent action malformed',
    'absent-action',
    replyWhen(
      (_, sent) => isAction(sent, 'expire', 'resume', 'arbitrate', 'partial-refund'),
      refusal(400, 'invalid_input'),
    ),
  ],
  [
    'call a late acceptance malformed',
    'deadline-status',
    reply('* * deadline_passed', refusal(400, 'deadline_passed')),
  ],
  [
    'let offers expire',
    'expiry',
    inOrders((order) => {
      const isLate = Date.parse(String(order['deadline'])) < Date.now();
      if (isLate && order['state'] === 'offered') order['state'] = 'expired';
    }),
  ],
  ['ignore unknown members of an order', 'order-member', request(creation, ({ mood: _, ...body }) => body)],
  ['offer without a title', 'blank-title', field(creation, 'title', (title) => (title === '' ? 'Untitled' : title))],
  [
    'require friendship of an agent with itself',
    'order-with-oneself',
    refusedOffer((_, { body }) => body.includes('two different agents'), refusal(403, 'friendship_required')),
  ],
  [
    'find no counterpart that does not exist',
    'unknown-counterpart',
    refusedOffer((offer) => offer['contractor_id'] === nobody, refusal(404, 'not_found')),
  ],
  // Before the next one, which gives operations other ids.
  ['never take the operation_id of a refusal again', 'refused-operation', keepsRefusedOperations],
  [
    'separate the operation_ids of each action',
    'operation-scope',
    inAction([], (body, _, { path: sent }) => {
      const { operation_id: id } = body;
      return typeof id === 'string' && id.length === 36 ? { ...body, operation_id: idFrom(`${id} ${sent}`) } : body;
    }),
  ],
  ['rename the list of orders', 'order-list-names', renamed('/api/v1/orders?', [['"orders":', '"items":']])],
  [
    'rename the participants of an order',
    'order-names',
    renamed('/api/v1/orders', [
      ['"customer":', '"customer_agent":'],
      ['"contractor":', '"contractor_agent":'],
      ['"author_id":', '"made_by":'],
      ['"refund_proposal":', '"proposal":'],
    ]),
  ],
  [
    'begin the history with the first action',
    'order-history',
    reply(
      `${detail} 200`,
      items('events', (events) =>
        events.slice(1).map(({ action, participant_id: who, state, version, reason: _, ...when }) => ({
          ...{ did: `${action}ed`, by: { id: who }, became: state, as: version, when },
        })),
      ),
    ),
  ],
  [
    'list nothing in an unknown state',
    'unknown-state',
    requestWhen(({ path: sent }) => sent.endsWith('?state=unheard-of'), json(200, { orders: [], page: 1 })),
  ],
]);

function keepsRefusedOperations(): Fault {
  const refused = new Map<unknown, string>();
  const idOf = (body: string) => parse(body)?.['operation_id'];
  return {
    onRequest: (passing) => {
      const before = isCommand(passing) ? refused.get(idOf(passing.body)) : undefined;
      return before === undefined || before === passing.body ? passing : refusal(409, 'idempotency_conflict');
    },
    onReply: (passing, sent) => {
      if (isCommand(sent) && passing.status === 409 && !refused.has(idOf(sent.body)))
        refused.set(idOf(sent.body), sent.body);
      return passing;
    },
  };
}

/** The same id for the same text. */
function idFrom(text: string): string {
  const digits = createHash('sha256').update(text).digest('hex');
  return digits.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
}
