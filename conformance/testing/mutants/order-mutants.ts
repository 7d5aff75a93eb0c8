import { randomUUID } from 'node:crypto';
import {
  atOnce,
  type Changeable,
  cut,
  type FaultRow,
  faultTable,
  idIn,
  items,
  json,
  parse,
  path,
  refusal,
  reply,
  replyWhen,
  requestWhen,
} from '../faults.ts';
import { detail, inAction, inOrders, isAction, isCommand } from '../order-faults.ts';
import type { Fault, PassingRequest } from '../passing.ts';
import { repeatsReplies } from '../stateful-faults.ts';

const endings = [
  ...['refund-before-work', 'refund-in-progress', 'refund-after-delivery'],
  ...['dispute-in-progress', 'dispute-after-delivery'],
].join(' ');
const reasons = 'reason-of-dispute reason-of-propose-refund';
const races = 'races.accept-or-cancel races.complete-or-dispute';

const otherCode = (code: string, status: number, become: string) =>
  reply(`* /api/v1/orders* ${code}`, refusal(status, become));
const operationOf = ({ body }: PassingRequest) => parse(body)?.['operation_id'];
/** Replaces the expected version by the true one, where it is wrong in one way. */
const ignoresVersion = (isWrong: (expected: unknown, version: unknown) => boolean) =>
  inAction([], (body, { version }) =>
    isWrong(body['expected_version'], version) ? { ...body, expected_version: version } : body,
  );
const says = (member: 'reason' | 'result_text', become: (value: unknown) => unknown) =>
  inAction(member === 'reason' ? ['dispute', 'propose-refund'] : ['deliver'], (body) => {
    const value = become(body[member]);
    return value === undefined ? body : { ...body, [member]: value };
  });
const asText = (value: unknown) => (value === 7 ? '7' : value);
const stateAfter = (action: string, state: string) =>
  inOrders(
    (order) => (order['state'] = state),
    (passing) => isAction(passing, action),
  );

const operationIds = [undefined, 'no-uuid', 7].map(
  (wrong): FaultRow => [
    `takes ${wrong ?? 'nothing'} for the operation_id of an action`,
    'command-members',
    inAction([], (body) => (body['operation_id'] === wrong ? { ...body, operation_id: randomUUID() } : body)),
  ],
);
const versions = (
  [
    ['texts', (version: unknown) => typeof version === 'string'],
    ['booleans', (version: unknown) => version === true],
    ['fractions', (version: unknown) => typeof version === 'number' && !Number.isInteger(version)],
    ['nothing', (version: unknown) => version === undefined || version === null],
  ] as const
).map(([name, isWrong]): FaultRow => [`takes ${name} for a version`, 'command-members', ignoresVersion(isWrong)]);
const shortReasons = reasons
  .split(' ')
  .map(
    (check): FaultRow => [
      `takes no long reasons in ${check.replace('reason-of-', '')}`,
      check,
      requestWhen(
        (passing) => isAction(passing, check.replace('reason-of-', '')) && passing.body.length > 1_900,
        refusal(400, 'invalid_input'),
      ),
    ],
  );
const ignoredChanges = ['reason', 'result_text'].map(
  (name): FaultRow => [`ignores another ${name} of a repeated action`, 'changed-commands', keepsFirst(name)],
);
const keptStates = (
  [
    ['cancel', 'lifecycle-to-cancellation'],
    ['reject', 'lifecycle-to-rejection'],
    ['start', 'lifecycle-to-payment'],
    ['deliver', 'lifecycle-to-payment'],
    ['dispute', 'lifecycle-to-refund'],
  ] as const
).map(([action, check]): FaultRow => [`keeps the state after ${action}`, check, stateAfter(action, 'offered')]);
const poorHistories = ['participant_id', 'version', 'state', 'created_at'].map(
  (name): FaultRow => [
    `tells no ${name} in its history`,
    'lifecycle-to-cancellation',
    reply(
      `${detail} 200`,
      items('events', (events) => events.map(({ [name]: _, ...rest }) => rest)),
    ),
  ],
);

/** Servers that take, answer or report actions wrongly. */
export const orderMutants = faultTable('orders', [
  ['checks no version', 'version old-version', ignoresVersion((expected) => Number.isInteger(expected))],
  [
    'checks newer versions alone',
    'old-version',
    ignoresVersion((expected, version) => Number(expected) < Number(version)),
  ],
  ['calls another version another state', 'version', otherCode('version_conflict', 409, 'state_conflict')],
  [
    'calls another state another version',
    'lifecycle-to-cancellation',
    otherCode('state_conflict', 409, 'version_conflict'),
  ],
  ['answers 403 in another state', 'lifecycle-to-rejection', otherCode('state_conflict', 403, 'state_conflict')],
  ['answers 409 to the wrong participant', 'lifecycle-to-payment', otherCode('forbidden', 409, 'forbidden')],
  ['knows no second proposal', 'lifecycle-to-refund', otherCode('refund_proposal_exists', 409, 'state_conflict')],
  ['knows no missing proposal', 'lifecycle-to-refund', otherCode('refund_not_proposed', 409, 'forbidden')],
  [
    'answers 402 where funds are missing',
    'uncovered cover races.one-balance',
    otherCode('insufficient_funds', 402, 'insufficient_funds'),
  ],
  ['names another code for a deadline', 'deadline', otherCode('deadline_passed', 409, 'forbidden')],
  ['calls orders of others forbidden', 'strangers', otherCode('not_found', 403, 'forbidden')],
  ...operationIds,
  ...versions,
  ['arbitrates', 'absent-actions', requestWhen((passing) => isAction(passing, 'arbitrate'), json(200, { order: {} }))],
  ['takes unknown actions for a cancellation', 'absent-actions', path(/\/(expire|partial-refund)$/, '/cancel')],
  [
    'requires no confirmation of an acceptance',
    'accept-confirmation',
    inAction(['accept'], (body, { total_minor: total }) => ({ confirmed_total_minor: total, ...body })),
  ],
  [
    'ignores the confirmed price',
    'accept-confirmation changed-commands',
    inAction(['accept'], (body, { total_minor: total }) => ({ ...body, confirmed_total_minor: total })),
  ],
  ['cuts long reasons', reasons, says('reason', (reason) => cut(reason, 2000))],
  ['takes no reason', reasons, says('reason', (reason) => (reason === '' ? '-' : (reason ?? '-')))],
  ['takes numbers for reasons', reasons, says('reason', asText)],
  ...shortReasons,
  ['cuts long results', 'result', says('result_text', (text) => cut(text, 8000))],
  ['cuts results at 4000', 'result', says('result_text', (text) => cut(text, 4000))],
  ['takes numbers for results', 'result', says('result_text', asText)],
  [
    'takes empty deliveries',
    'result',
    inAction(['deliver'], (body) =>
      'result_attachment_ids' in body ? body : { ...body, result_text: body['result_text'] ?? '-' },
    ),
  ],
  [
    'ignores the changes of a repeated action',
    'changed-commands',
    repeatsReplies((passing) => (isCommand(passing) ? operationOf(passing) : undefined), 200),
  ],
  ...ignoredChanges,
  ['calls a foreign file malformed', 'wrong-files result-files', otherCode('invalid_attachment', 400, 'invalid_input')],
  ['calls a bound file absent', 'wrong-files', otherCode('attachment_already_bound', 404, 'invalid_attachment')],
  ['never raises a version', 'lifecycle-to-cancellation lifecycle-to-rejection', neverRaisesVersions],
  ...keptStates,
  ['keeps the state after propose-refund', endings, stateAfter('propose-refund', 'funded')],
  ['tells no outcome', 'lifecycle-to-payment refund-before-work', inOrders((order) => delete order['outcome'])],
  ['reports refunds as accepted', 'refund-before-work', inOrders((order) => (order['outcome'] &&= 'accepted'))],
  [
    'raises the price when it accepts',
    'refund-before-work',
    inOrders(
      (order) => (order['total_minor'] = Number(order['total_minor']) + 1),
      (passing) => isAction(passing, 'accept'),
    ),
  ],
  ['answers a repeated action with the present order', 'lifecycle-to-cancellation', newestOrders],
  ...poorHistories,
  [
    'forgets the last change in its history',
    'lifecycle-to-rejection',
    reply(
      `${detail} 200`,
      items('events', (events) => events.slice(0, -1)),
    ),
  ],
  [
    'accepts again for every repeat',
    'races.accepts',
    inAction(['accept'], (body) => ({ ...body, operation_id: randomUUID() })),
  ],
  [
    'tells both of a race that they won',
    races,
    replyWhen(
      ({ status }, sent) => status === 409 && isAction(sent),
      (_, sent) => json(200, { order: { id: idIn(sent.path), state: 'funded', version: 9 } }),
    ),
  ],
  ['tells both of a race that they lost', races, refusesBoth],
]);

function keepsFirst(name: string): () => Fault {
  return () => {
    const first = new Map<unknown, unknown>();
    return inAction(['deliver', 'dispute', 'propose-refund'], (body) => {
      const { operation_id: id } = body;
      if (!first.has(id)) first.set(id, body[name]);
      return { ...body, [name]: first.get(id) };
    })();
  };
}

/** Tells that every version is 1, and keeps the true one in another member. */
function neverRaisesVersions(): Fault {
  return atOnce([
    inAction([], (body, { truth }) => ({ ...body, expected_version: truth }))(),
    inOrders((order) => Object.assign(order, { truth: order['version'], version: 1 })),
  ]);
}

function newestOrders(): Fault {
  const newest = new Map<string, Changeable>();
  return {
    onReply: (passing, sent) => {
      const order = parse(passing.body)?.['order'] as Changeable | undefined;
      if (order === undefined || passing.status > 299) return passing;
      const id = String(order['id']);
      const known = newest.get(id);
      if (known === undefined || Number(order['version']) >= Number(known['version'])) newest.set(id, order);
      return isCommand(sent) ? json(passing.status, { order: newest.get(id) }) : passing;
    },
  };
}

function refusesBoth(): Fault {
  const sent = new Map<string, number>();
  const aim = ({ path: target, body }: PassingRequest) => `${idIn(target)} ${parse(body)?.['expected_version']}`;
  const isMeant = (passing: PassingRequest) => isAction(passing, 'accept', 'cancel', 'complete', 'dispute');
  return {
    onRequest: (passing) => {
      if (isMeant(passing)) sent.set(aim(passing), (sent.get(aim(passing)) ?? 0) + 1);
      return passing;
    },
    onReply: (passing, request) =>
      isMeant(request) && (sent.get(aim(request)) ?? 0) > 1 ? refusal(409, 'version_conflict') : passing,
  };
}
