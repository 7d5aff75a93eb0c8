import { randomUUID } from 'node:crypto';
import { atOnce, type Changeable, idIn, inAnswer, json, type Mutant, mutant, parse, refusal } from '../faults.ts';
import { inAction, inOrders, insteadOf, isAction, isCommand } from '../order-faults.ts';
import type { Fault, PassingAnswer, PassingRequest } from '../proxy.ts';

const detail = 'GET /api/v1/orders/*';
const endings = [
  ...['orders.refund-before-work', 'orders.refund-in-progress', 'orders.refund-after-delivery'],
  ...['orders.dispute-in-progress', 'orders.dispute-after-delivery'],
];
const reasons = ['orders.reason-of-dispute', 'orders.reason-of-propose-refund'];

/** Servers that take, answer or tell of actions wrongly. */
export const orderMutants: readonly Mutant[] = [
  mutant('looks at no version', ['orders.version', 'orders.old-version'], () =>
    inAction([], (body, { version }) =>
      Number.isInteger(body['expected_version']) ? { ...body, expected_version: version } : body,
    ),
  ),
  mutant('looks at newer versions alone', ['orders.old-version'], () =>
    inAction([], (body, { version }) =>
      Number(body['expected_version']) < Number(version) ? { ...body, expected_version: version } : body,
    ),
  ),
  otherCode('calls another version another state', ['orders.version'], 'version_conflict', 409, 'state_conflict'),
  otherCode(
    'calls another state another version',
    ['orders.lifecycle-to-cancellation'],
    'state_conflict',
    409,
    'version_conflict',
  ),
  otherCode('answers 403 in another state', ['orders.lifecycle-to-rejection'], 'state_conflict', 403, 'state_conflict'),
  otherCode('answers 409 to the wrong one', ['orders.lifecycle-to-payment'], 'forbidden', 409, 'forbidden'),
  otherCode(
    'knows no second proposal',
    ['orders.lifecycle-to-refund'],
    'refund_proposal_exists',
    409,
    'state_conflict',
  ),
  otherCode('knows no missing proposal', ['orders.lifecycle-to-refund'], 'refund_not_proposed', 409, 'forbidden'),
  otherCode(
    'asks for payment where there are no funds',
    ['orders.uncovered', 'orders.cover', 'races.one-balance'],
    'insufficient_funds',
    402,
    'insufficient_funds',
  ),
  otherCode('says nothing of deadlines', ['orders.deadline'], 'deadline_passed', 409, 'forbidden'),
  otherCode('calls orders of others forbidden', ['orders.strangers'], 'not_found', 403, 'forbidden'),
  ...[undefined, 'no-uuid', 7].map((wrong) =>
    mutant(`takes ${wrong ?? 'nothing'} for the operation_id of an action`, ['orders.command-members'], () =>
      inAction([], (body) => (body['operation_id'] === wrong ? { ...body, operation_id: randomUUID() } : body)),
    ),
  ),
  ...[
    ['texts', (version: unknown) => typeof version === 'string'] as const,
    ['booleans', (version: unknown) => version === true] as const,
    ['fractions', (version: unknown) => typeof version === 'number' && !Number.isInteger(version)] as const,
    ['nothing', (version: unknown) => version === undefined || version === null] as const,
  ].map(([name, isWrong]) =>
    mutant(`takes ${name} for a version`, ['orders.command-members'], () =>
      inAction([], (body, { version }) =>
        isWrong(body['expected_version']) ? { ...body, expected_version: version } : body,
      ),
    ),
  ),
  mutant('arbitrates', ['orders.absent-actions'], () => ({
    onRequest: (request) => (isAction(request, 'arbitrate') ? json(200, { order: {} }) : request),
  })),
  mutant('takes whatever it does not know for a cancellation', ['orders.absent-actions'], () => ({
    onRequest: (request) => ({ ...request, path: request.path.replace(/\/(expire|partial-refund)$/, '/cancel') }),
  })),
  mutant('asks for no confirmation of what is accepted', ['orders.accept-confirmation'], () =>
    inAction(['accept'], (body, { total_minor: total }) => ({ confirmed_total_minor: total, ...body })),
  ),
  mutant('passes over what is confirmed', ['orders.accept-confirmation', 'orders.changed-commands'], () =>
    inAction(['accept'], (body, { total_minor: total }) => ({ ...body, confirmed_total_minor: total })),
  ),
  saysOtherwise('cuts long reasons', reasons, 'reason', (reason) => cut(reason, 2000)),
  saysOtherwise('takes no reason', reasons, 'reason', (reason) => (reason === '' ? '-' : (reason ?? '-'))),
  saysOtherwise('takes numbers for reasons', reasons, 'reason', (reason) => (reason === 7 ? '7' : reason)),
  ...reasons.map((check) =>
    mutant(`cuts short the reasons of ${check}`, [check], () => ({
      onRequest: (request) =>
        isAction(request, check.replace('orders.reason-of-', '')) && request.body.length > 1_900
          ? refusal(400, 'invalid_input')
          : request,
    })),
  ),
  saysOtherwise('cuts long results', ['orders.result'], 'result_text', (text) => cut(text, 8000)),
  saysOtherwise('cuts results at 4000', ['orders.result'], 'result_text', (text) => cut(text, 4000)),
  saysOtherwise('takes numbers for results', ['orders.result'], 'result_text', (text) => (text === 7 ? '7' : text)),
  mutant('takes empty deliveries', ['orders.result'], () =>
    inAction(['deliver'], (body) =>
      'result_attachment_ids' in body ? body : { ...body, result_text: body['result_text'] ?? '-' },
    ),
  ),
  mutant('passes over what is changed in a repeated action', ['orders.changed-commands'], answersAgain),
  ...(['reason', 'result_text'] as const).map((name) =>
    mutant(`passes over another ${name} of a repeated action`, ['orders.changed-commands'], () => {
      const first = new Map<unknown, unknown>();
      return inAction(['deliver', 'dispute', 'propose-refund'], (body) => {
        const { operation_id: id } = body;
        if (!first.has(id)) first.set(id, body[name]);
        return { ...body, [name]: first.get(id) };
      });
    }),
  ),
  otherCode(
    'calls a foreign file malformed',
    ['orders.wrong-files', 'orders.result-files'],
    'invalid_attachment',
    400,
    'invalid_input',
  ),
  otherCode('calls a bound file absent', ['orders.wrong-files'], 'attachment_already_bound', 404, 'invalid_attachment'),
  mutant('never raises a version', ['orders.lifecycle-to-cancellation', 'orders.lifecycle-to-rejection'], () =>
    atOnce([inAction([], (body, { truth }) => ({ ...body, expected_version: truth })), inOrders(keepsVersion)]),
  ),
  ...(
    [
      ['cancel', 'orders.lifecycle-to-cancellation'],
      ['reject', 'orders.lifecycle-to-rejection'],
      ['start', 'orders.lifecycle-to-payment'],
      ['deliver', 'orders.lifecycle-to-payment'],
      ['dispute', 'orders.lifecycle-to-refund'],
    ] as const
  ).map(([action, check]) =>
    mutant(`leaves the state as it was after ${action}`, [check], () =>
      inOrders(
        (order) => (order['state'] = 'offered'),
        (request) => isAction(request, action),
      ),
    ),
  ),
  mutant('leaves the state as it was after propose-refund', endings, () =>
    inOrders(
      (order) => (order['state'] = 'funded'),
      (request) => isAction(request, 'propose-refund'),
    ),
  ),
  mutant('tells no outcome', ['orders.lifecycle-to-payment', 'orders.refund-before-work'], () =>
    inOrders((order) => delete order['outcome']),
  ),
  mutant('tells of refunds that they were accepted', ['orders.refund-before-work'], () =>
    inOrders((order) => {
      if (order['outcome']) order['outcome'] = 'accepted';
    }),
  ),
  mutant('adds something on top when it accepts', ['orders.refund-before-work'], () =>
    inOrders(
      (order) => (order['total_minor'] = Number(order['total_minor']) + 1),
      (request) => isAction(request, 'accept'),
    ),
  ),
  mutant('tells the order as it is when an action is repeated', ['orders.lifecycle-to-cancellation'], newestOfOrders),
  ...(['participant_id', 'version', 'state', 'created_at'] as const).map((name) =>
    mutant(`tells no ${name} in its history`, ['orders.lifecycle-to-cancellation'], () =>
      inAnswer(detail, 200, (body) => {
        for (const event of body['events'] as readonly Changeable[]) delete event[name];
      }),
    ),
  ),
  mutant('forgets the last change in its history', ['orders.lifecycle-to-rejection'], () =>
    inAnswer(detail, 200, ({ events, ...body }) => ({ ...body, events: (events as unknown[]).slice(0, -1) })),
  ),
  mutant('does every acceptance anew', ['races.accepts'], () =>
    inAction(['accept'], (body) => ({ ...body, operation_id: randomUUID() })),
  ),
  mutant('tells both of a race that they won', ['races.accept-or-cancel', 'races.complete-or-dispute'], () =>
    insteadOf(
      ({ status }, request) => status === 409 && isAction(request),
      (_, { path }) => json(200, { order: { id: idIn(path), state: 'funded', version: 9 } }),
    ),
  ),
  mutant('tells both of a race that they lost', ['races.accept-or-cancel', 'races.complete-or-dispute'], () => {
    const asked = new Map<string, number>();
    const aim = ({ path, body }: PassingRequest) => `${idIn(path)} ${parse(body)?.['expected_version']}`;
    const isMeant = (request: PassingRequest) => isAction(request, 'accept', 'cancel', 'complete', 'dispute');
    return {
      onRequest: (request) => {
        if (isMeant(request)) asked.set(aim(request), (asked.get(aim(request)) ?? 0) + 1);
        return request;
      },
      onAnswer: (answer, request) =>
        isMeant(request) && (asked.get(aim(request)) ?? 0) > 1 ? refusal(409, 'version_conflict') : answer,
    };
  }),
];

function otherCode(name: string, kills: readonly string[], code: string, status: number, become: string): Mutant {
  return mutant(name, kills, () =>
    insteadOf(
      ({ body }, { path }) => path.startsWith('/api/v1/orders') && body.includes(`"${code}"`),
      () => refusal(status, become),
    ),
  );
}

function saysOtherwise(
  name: string,
  kills: readonly string[],
  member: string,
  become: (value: unknown) => unknown,
): Mutant {
  const actions = member === 'reason' ? ['dispute', 'propose-refund'] : ['deliver'];
  return mutant(name, kills, () =>
    inAction(actions, (body) => {
      const value = become(body[member]);
      return value === undefined ? body : { ...body, [member]: value };
    }),
  );
}

function cut(text: unknown, length: number): unknown {
  return typeof text === 'string' ? text.slice(0, length) : text;
}

/** Answers every command as its operation_id was answered first. */
function answersAgain(): Fault {
  const first = new Map<unknown, PassingAnswer>();
  return {
    onRequest: (request) =>
      isCommand(request) ? (first.get(parse(request.body)?.['operation_id']) ?? request) : request,
    onAnswer: (answer, request) => {
      if (isCommand(request) && answer.status < 300)
        first.set(parse(request.body)?.['operation_id'], { ...answer, status: 200 });
      return answer;
    },
  };
}

/** Says that the version is 1, and keeps the true one for whoever knows where to look. */
function keepsVersion(order: Changeable): void {
  order['truth'] = order['version'];
  order['version'] = 1;
}

/** Tells every command how the order is now. */
function newestOfOrders(): Fault {
  const newest = new Map<string, Changeable>();
  return {
    onAnswer: (answer, request) => {
      const order = parse(answer.body)?.['order'] as Changeable | undefined;
      if (order === undefined || answer.status > 299) return answer;
      const id = String(order['id']);
      const known = newest.get(id);
      if (known === undefined || Number(order['version']) >= Number(known['version'])) newest.set(id, order);
      return isCommand(request) ? json(answer.status, { order: newest.get(id) }) : answer;
    },
  };
}
