import { createHash } from 'node:crypto';
import { type Changeable, inAnswer, inRequest, isAbout, json, type Mutant, parse, refusal } from '../faults.ts';
import { creation, inAction, inOrders, insteadOf, isAction, isCommand, quoting } from '../order-faults.ts';
import type { Fault, PassingAnswer } from '../proxy.ts';
import { variant } from '../variant-faults.ts';

const history = '/api/v1/wallet/history';
// Whom the look asks for: the id has a form, and nobody has it.
const nobody = '01a1fdfe-0000-4000-8000-000000000000';
const none = { amount_minor: 0, fee_minor: 0, total_minor: 0, fee_bps: 1000 };

/** Servers that are right about credits and orders and differ where the specification is silent, and the looks that see it. */
export const tradeVariants: readonly Mutant[] = [
  variant('ledger-kinds', 'call kinds and accounts otherwise', () =>
    inHistory((entry) => ({
      ...entry,
      kind: entry['kind'] === 'grant' ? 'grant' : `${entry['kind']}d`,
      account_kind: `${entry['account_kind']} credits`,
    })),
  ),
  variant('grant-entry', 'leave out the order where there is none', () =>
    inHistory(({ order_id: order, ...entry }) => (order === null ? entry : { ...entry, order_id: order })),
  ),
  variant('history-code', 'call a wrong limit wrong paging', () =>
    insteadOf(
      ({ status }, { path }) => path.startsWith(`${history}?`) && status === 400,
      () => refusal(400, 'invalid_pagination'),
    ),
  ),
  variant('history-parameter', 'pass over parameters of the history', () => ({
    onRequest: (request) => ({ ...request, path: request.path.replace('history?unheard=of', 'history') }),
  })),
  variant('zero-amount', 'price nothing', () => ({
    onRequest: (request) =>
      isAbout(request, quoting) && request.body === '{"amount_minor":0}' ? json(200, { quote: none }) : request,
  })),
  variant('wrong-role', 'know one code for the wrong one', () =>
    insteadOf(
      ({ body }) => body.includes('"counterparty_required"'),
      () => refusal(403, 'forbidden'),
    ),
  ),
  variant('first-reason', 'look at versions first', () =>
    insteadOf(
      ({ status }, request) => isAction(request) && status === 403 && request.body.includes('999999'),
      () => refusal(409, 'version_conflict'),
    ),
  ),
  variant('absent-action', 'call an absent action malformed', () =>
    insteadOf(
      (_, request) => isAction(request, 'expire', 'resume', 'arbitrate', 'partial-refund'),
      () => refusal(400, 'invalid_input'),
    ),
  ),
  variant('deadline-status', 'call a late acceptance malformed', () =>
    insteadOf(
      ({ body }) => body.includes('"deadline_passed"'),
      () => refusal(400, 'deadline_passed'),
    ),
  ),
  variant('expiry', 'let offers expire', () =>
    inOrders((order) => {
      const isLate = Date.parse(String(order['deadline'])) < Date.now();
      if (isLate && order['state'] === 'offered') order['state'] = 'expired';
    }),
  ),
  variant('order-member', 'pass over members that no order has', () =>
    inRequest(creation, ({ mood: _, ...body }) => body),
  ),
  variant('blank-title', 'offer without a title', () =>
    inRequest(creation, (body) => (body['title'] === '' ? { ...body, title: 'Untitled' } : body)),
  ),
  variant('order-with-oneself', 'be no friends of themselves', () =>
    refusedOffer((_, { body }) => body.includes('two different agents'), refusal(403, 'friendship_required')),
  ),
  variant('unknown-counterpart', 'find no counterpart that does not exist', () =>
    refusedOffer((offer) => offer['contractor_id'] === nobody, refusal(404, 'not_found')),
  ),
  // Before the next one, which gives operations other ids.
  variant('refused-operation', 'never take the operation_id of a refusal again', () => {
    const refused = new Map<unknown, string>();
    const idOf = (body: string) => parse(body)?.['operation_id'];
    return {
      onRequest: (request) => {
        const before = isCommand(request) ? refused.get(idOf(request.body)) : undefined;
        return before === undefined || before === request.body ? request : refusal(409, 'idempotency_conflict');
      },
      onAnswer: (answer, request) => {
        if (isCommand(request) && answer.status === 409 && !refused.has(idOf(request.body)))
          refused.set(idOf(request.body), request.body);
        return answer;
      },
    };
  }),
  variant('operation-scope', 'keep operation_ids for each action apart', () =>
    inAction([], (body, _, { path }) => {
      const { operation_id: id } = body;
      return typeof id === 'string' && id.length === 36 ? { ...body, operation_id: idFrom(`${id} ${path}`) } : body;
    }),
  ),
  variant('order-list-names', 'call the list of orders otherwise', () => ({
    onAnswer: (answer, { path }) =>
      path.startsWith('/api/v1/orders?') ? { ...answer, body: answer.body.replace('"orders":', '"items":') } : answer,
  })),
  variant('order-names', 'call the two of an order otherwise', () => ({
    onAnswer: (answer, { path }) =>
      path.startsWith('/api/v1/orders') ? { ...answer, body: renamed(answer.body) } : answer,
  })),
  variant('order-history', 'begin the history with the first action', () =>
    inAnswer('GET /api/v1/orders/*', 200, ({ events, ...body }) => ({
      ...body,
      events: (events as readonly Changeable[])
        .slice(1)
        .map(({ action, participant_id: who, state, version, reason: _, ...when }) => ({
          ...{ did: `${action}ed`, by: { id: who }, became: state, as: version, when },
        })),
    })),
  ),
  variant('unknown-state', 'list nothing in a state that there is not', () => ({
    onRequest: (request) => (request.path.endsWith('?state=unheard-of') ? json(200, { orders: [], page: 1 }) : request),
  })),
];

function inHistory(change: (entry: Changeable) => Changeable): Fault {
  return {
    onAnswer: (answer, { path }) => {
      if (!path.startsWith(history) || answer.status !== 200) return answer;
      const { entries, ...rest } = parse(answer.body) as { readonly entries: readonly Changeable[] };
      return json(200, { entries: entries.map(change), ...rest });
    },
  };
}

function renamed(body: string): string {
  return body
    .replaceAll('"customer":', '"customer_agent":')
    .replaceAll('"contractor":', '"contractor_agent":')
    .replaceAll('"author_id":', '"made_by":')
    .replaceAll('"refund_proposal":', '"proposal":');
}

/** An id of its own for each text. */
function idFrom(text: string): string {
  const digits = createHash('sha256').update(text).digest('hex');
  return digits.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
}

/** Says something else of the refusal of some offers. */
function refusedOffer(isMeant: (offer: Changeable, answer: PassingAnswer) => boolean, become: PassingAnswer): Fault {
  return insteadOf(
    (answer, request) =>
      isAbout(request, creation) && answer.status >= 400 && isMeant(parse(request.body) ?? {}, answer),
    () => become,
  );
}
