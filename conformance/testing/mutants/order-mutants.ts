import { randomUUID } from 'node:crypto';
import { faultsOf } from '../fault-language.ts';
import { type Changeable, idIn, json, parse, refusal, replyWhen, requestWhen, withJson } from '../faults.ts';
import { inAction, isAction, isCommand } from '../order-faults.ts';
import type { Fault, PassingRequest } from '../passing.ts';
import { repeatsReplies } from '../stateful-faults.ts';

const reasons = 'reason-of-dispute reason-of-propose-refund';
const reason = `POST /orders/* path:'/(dispute|propose-refund)$'`;
const endings =
  'refund-before-work refund-in-progress refund-after-delivery dispute-in-progress dispute-after-delivery';
const races = 'races.accept-or-cancel races.complete-or-dispute';

/** Replaces the expected version by the true one, where it is wrong in one way. */
const ignoresVersion = (isWrong: (expected: unknown, version: unknown) => boolean) =>
  inAction([], (body, { version }) =>
    isWrong(body['expected_version'], version) ? { ...body, expected_version: version } : body,
  );

/** Servers that take, answer or report actions wrongly. */
export const orderMutants = faultsOf(
  'orders',
  `
checks no version | version old-version | = checksNoVersion
checks newer versions alone | old-version | = checksNewerVersions
calls another version another state | version | * /orders* version_conflict -> 409 state_conflict
calls another state another version | lifecycle-to-cancellation | * /orders* state_conflict -> 409 version_conflict
answers 403 in another state | lifecycle-to-rejection | * /orders* state_conflict -> 403 state_conflict
answers 409 to the wrong participant | lifecycle-to-payment | * /orders* forbidden -> 409 forbidden
knows no second proposal | lifecycle-to-refund | * /orders* refund_proposal_exists -> 409 state_conflict
knows no missing proposal | lifecycle-to-refund | * /orders* refund_not_proposed -> 409 forbidden
answers 402 where funds are missing | uncovered cover races.one-balance | * /orders* insufficient_funds -> 402 insufficient_funds
names another code for a deadline | deadline | * /orders* deadline_passed -> 409 forbidden
calls orders of others forbidden | strangers | * /orders* not_found -> 403 forbidden
takes nothing for the operation_id of an action | command-members | POST /orders/* path:'/orders/.+/' <- change operation_id undefined uuid
takes no-uuid for the operation_id of an action | command-members | POST /orders/* path:'/orders/.+/' <- change operation_id "no-uuid" uuid
takes 7 for the operation_id of an action | command-members | POST /orders/* path:'/orders/.+/' <- change operation_id 7 uuid
takes <texts booleans fractions nothing> for a version | command-members | = <>
arbitrates | absent-actions | POST /orders/* path:'/arbitrate$' <- 200 {"order":{}}
takes unknown actions for a cancellation | absent-actions | * <- path /(expire|partial-refund)$ /cancel
takes an operation_id again for another action | reused-operations | = renewsForActions
takes an operation_id again on another order | reused-operations | = renewsForOrders
requires no confirmation of an acceptance | accept-confirmation | = needsNoConfirmation
ignores the confirmed price | accept-confirmation changed-commands | = ignoresConfirmation
cuts long reasons | ${reasons} | ${reason} <- cut reason 2000
takes no reason | ${reasons} | ${reason} <- default reason "-" & ${reason} <- change reason "" "-"
takes numbers for reasons | ${reasons} | ${reason} <- change reason 7 "7"
takes no long reasons in <dispute propose-refund> | reason-of-<> | POST /orders/* path:'/<>$' longer:'1900' <- 400 invalid_input
cuts long results | result | POST /orders/* path:'/deliver$' <- cut result_text 8000
cuts results at 4000 | result | POST /orders/* path:'/deliver$' <- cut result_text 4000
takes numbers for results | result | POST /orders/* path:'/deliver$' <- change result_text 7 "7"
takes empty deliveries | result | POST /orders/* path:'/deliver$' sent:'^(?!.*"result_attachment_ids")' <- default result_text "-"
ignores the changes of a repeated action | changed-commands | = repeatsReplies
ignores another <reason result_text> of a repeated action | changed-commands | = keeps <>
calls a foreign file malformed | wrong-files result-files | * /orders* invalid_attachment -> 400 invalid_input
calls a bound file absent | wrong-files | * /orders* attachment_already_bound -> 404 invalid_attachment
never raises a version | lifecycle-to-cancellation lifecycle-to-rejection | = checksNoVersion & * /orders* -> set order.version 1 & * /orders* -> set orders[].version 1
keeps the state after cancel | lifecycle-to-cancellation | POST /orders/* path:'/cancel$' 200 -> set order.state "offered"
keeps the state after reject | lifecycle-to-rejection | POST /orders/* path:'/reject$' 200 -> set order.state "offered"
keeps the state after <start deliver> | lifecycle-to-payment | POST /orders/* path:'/<>$' 200 -> set order.state "offered"
keeps the state after complete | lifecycle-to-payment | POST /orders/* path:'/complete$' 200 -> set order.state "delivered"
keeps the state after approve-refund | lifecycle-to-refund | POST /orders/* path:'/approve-refund$' 200 -> set order.state "disputed"
reserves a credit when an offer is cancelled | lifecycle-to-cancellation | after /cancel GET /wallet 200 -> map wallet oneReserved
tells the present version in a repeat | lifecycle-to-cancellation | = presentVersions
keeps the state after dispute | lifecycle-to-refund | POST /orders/* path:'/dispute$' 200 -> set order.state "offered"
keeps the state after propose-refund | ${endings} | POST /orders/* path:'/propose-refund$' 200 -> set order.state "funded"
tells no outcome | lifecycle-to-payment refund-before-work | * /orders* -> drop order.outcome & * /orders* -> drop orders[].outcome
reports refunds as accepted | refund-before-work | * /orders* -> replace '"outcome":"[a-z]+"' '"outcome":"accepted"'
raises the price when it accepts | refund-before-work | POST /orders/* path:'/accept$' 200 -> map order.total_minor next
answers a repeated action with the present order | lifecycle-to-cancellation | = newestOrders
names another action in its history | lifecycle-to-cancellation | GET /orders/* 200 -> set events[].action "change"
tells no <participant_id version state action created_at> in its history | lifecycle-to-cancellation | GET /orders/* 200 -> drop events[].<>
forgets the last change in its history | lifecycle-to-rejection | GET /orders/* 200 -> cut events -1
accepts again for every repeat | races.accepts | POST /orders/* path:'/accept$' <- set operation_id uuid
tells both of a race that they won | ${races} | = bothWin
tells both of a race that they lost | ${races} | = refusesBoth
`,
  {
    next: (total: unknown) => Number(total) + 1,
    oneReserved: (seen: Changeable) => ({
      ...seen,
      available_minor: Number(seen['available_minor']) - 1,
      reserved_minor: Number(seen['reserved_minor']) + 1,
    }),
  },
  {
    checksNoVersion: ignoresVersion((expected) => Number.isInteger(expected)),
    checksNewerVersions: ignoresVersion((expected, version) => Number(expected) < Number(version)),
    texts: ignoresVersion((expected) => typeof expected === 'string'),
    booleans: ignoresVersion((expected) => expected === true),
    fractions: ignoresVersion((expected) => typeof expected === 'number' && !Number.isInteger(expected)),
    nothing: ignoresVersion((expected) => expected === undefined || expected === null),
    needsNoConfirmation: inAction(['accept'], (body, { total_minor: total }) => ({
      confirmed_total_minor: total,
      ...body,
    })),
    ignoresConfirmation: inAction(['accept'], (body, { total_minor: total }) => ({
      ...body,
      confirmed_total_minor: total,
    })),
    repeatsReplies: repeatsReplies(
      (passing) => (isCommand(passing) ? parse(passing.body)?.['operation_id'] : undefined),
      200,
    ),
    'keeps reason': () => keepsFirst('reason'),
    'keeps result_text': () => keepsFirst('result_text'),
    bothWin: replyWhen(
      ({ status }, sent) => status === 409 && isAction(sent),
      (_, sent) => json(200, { order: { id: idIn(sent.path), state: 'funded', version: 9 } }),
    ),
    renewsForActions: () => renewsIds((one) => one === ordersPath),
    renewsForOrders: () => renewsIds((one, other) => one !== ordersPath && idIn(one) !== idIn(other)),
    ...{ newestOrders, refusesBoth, presentVersions },
  },
);

const ordersPath = '/api/v1/orders';

/** Answers every command with the newest version of its order. */
function presentVersions(): Fault {
  const versions = new Map<unknown, number>();
  return {
    onReply: (passing, sent) => {
      const order = parse(passing.body)?.['order'] as Changeable | undefined;
      if (typeof order?.['version'] !== 'number') return passing;
      const version = Math.max(order['version'], versions.get(order['id']) ?? 0);
      versions.set(order['id'], version);
      return isCommand(sent) ? withJson(passing, (body) => ({ ...body, order: { ...order, version } })) : passing;
    },
  };
}

/** Replaces an operation_id that was used on a path for another path. */
function renewsIds(isMeant: (one: string, other: string) => boolean): Fault {
  const used = new Map<unknown, string>();
  return requestWhen(isCommand, (sent) =>
    withJson(sent, (body) => {
      const { operation_id: id } = body;
      const path = used.get(id) ?? sent.path;
      used.set(id, path);
      return path !== sent.path && isMeant(path, sent.path) ? { ...body, operation_id: randomUUID() } : body;
    }),
  );
}

function keepsFirst(name: string): Fault {
  const first = new Map<unknown, unknown>();
  return inAction(['deliver', 'dispute', 'propose-refund'], (body) => {
    const { operation_id: id } = body;
    if (!first.has(id)) first.set(id, body[name]);
    return { ...body, [name]: first.get(id) };
  })();
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
