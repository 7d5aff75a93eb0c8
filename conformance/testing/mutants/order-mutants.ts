import { parseFaults } from '../fault-language.ts';
import { changeSelectedReplies, idIn, jsonReply, type MutableObject, parseJsonObject } from '../faults.ts';
import { changeActionBodies, isOrderAction, isOrderCommand } from '../order-faults.ts';
import type { Fault } from '../passing.ts';
import { repeatReplies } from '../stateful-faults.ts';

const reasons = 'reason-of-dispute reason-of-propose-refund';
const reason = `POST /orders/* path:'/(dispute|propose-refund)$'`;
const endings =
  'refund-before-work refund-in-progress refund-after-delivery dispute-in-progress dispute-after-delivery';
const races = 'races.accept-or-cancel races.complete-or-dispute';

/** Replaces a wrong expected version by the current one; `isWrong` selects the versions to replace. */
const ignoresVersion = (isWrong: (expected: unknown, version: unknown) => boolean) =>
  changeActionBodies([], (body, { version }) =>
    isWrong(body['expected_version'], version) ? { ...body, expected_version: version } : body,
  );

export const orderMutants = parseFaults(
  'orders',
  `
refuses the second of two acceptances with 500 | races.every-pair | POST path:'/accept$' <- unless-busy 500 internal_error
checks no version | version old-version | = checksNoVersion
checks newer versions alone | old-version | = checksNewerVersions
answers 409 to the wrong participant | lifecycle-to-payment | * /orders* forbidden -> 409 forbidden
knows no second proposal | lifecycle-to-refund | * /orders* refund_proposal_exists -> 409 state_conflict
answers 402 where funds are missing | uncovered cover races.one-balance | * /orders* insufficient_funds -> 402 insufficient_funds
names another code for a deadline | deadline | * /orders* deadline_passed -> 409 forbidden
calls orders of others forbidden | strangers | * /orders* not_found -> 403 forbidden
accepts actions without a version | command-members | = nothing
arbitrates | absent-actions | POST /orders/* path:'/arbitrate$' <- 200 {"order":{}}
treats unknown actions as a cancellation | absent-actions | * <- path /(expire|partial-refund)$ /cancel
requires no confirmation of an acceptance | accept-confirmation | = needsNoConfirmation
ignores the confirmed price | accept-confirmation changed-commands | = ignoresConfirmation
cuts long reasons | ${reasons} | ${reason} <- cut reason 2000
takes no long reasons in dispute | reason-of-dispute | POST /orders/* path:'/dispute$' longer:'1900' <- 400 invalid_input
takes empty deliveries | result | POST /orders/* path:'/deliver$' sent:'^(?!.*"result_attachment_ids")' <- default result_text "-"
ignores the changes of a repeated action | changed-commands | = repeatsReplies
ignores another <reason result_text> of a repeated action | changed-commands | = keeps <>
calls a foreign file malformed | wrong-files result-files | * /orders* invalid_attachment -> 400 invalid_input
reserves a credit when an offer is cancelled | lifecycle-to-cancellation | after /cancel GET /wallet 200 -> map wallet oneReserved
keeps the state after propose-refund | ${endings} | POST /orders/* path:'/propose-refund$' 200 -> set order.state "funded"
answers a repeated action with the present order | lifecycle-to-cancellation | = newestOrders
names another action in its history | lifecycle-to-cancellation | GET /orders/* 200 -> set events[].action "change"
tells no <participant_id version state action created_at> in its history | lifecycle-to-cancellation | GET /orders/* 200 -> drop events[].<>
forgets the last change in its history | lifecycle-to-rejection | GET /orders/* 200 -> cut events -1
accepts again for every repeat | races.accepts | POST /orders/* path:'/accept$' <- set operation_id uuid
tells both of a race that they won | ${races} | = bothWin
`,
  {
    oneReserved: (seen: MutableObject) => ({
      ...seen,
      available_minor: Number(seen['available_minor']) - 1,
      reserved_minor: Number(seen['reserved_minor']) + 1,
    }),
  },
  {
    checksNoVersion: ignoresVersion((expected) => Number.isInteger(expected)),
    checksNewerVersions: ignoresVersion((expected, version) => Number(expected) < Number(version)),
    nothing: ignoresVersion((expected) => expected === undefined || expected === null),
    needsNoConfirmation: changeActionBodies(['accept'], (body, { total_minor: total }) => ({
      confirmed_total_minor: total,
      ...body,
    })),
    ignoresConfirmation: changeActionBodies(['accept'], (body, { total_minor: total }) => ({
      ...body,
      confirmed_total_minor: total,
    })),
    repeatsReplies: repeatReplies(
      (passing) => (isOrderCommand(passing) ? parseJsonObject(passing.body)?.['operation_id'] : undefined),
      200,
    ),
    'keeps reason': () => keepsFirst('reason'),
    'keeps result_text': () => keepsFirst('result_text'),
    bothWin: changeSelectedReplies(
      ({ status }, sent) => status === 409 && isOrderAction(sent),
      (_, sent) => jsonReply(200, { order: { id: idIn(sent.path), state: 'funded', version: 9 } }),
    ),
    newestOrders,
  },
);

function keepsFirst(name: string): Fault {
  const first = new Map<unknown, unknown>();
  return changeActionBodies(['deliver', 'dispute', 'propose-refund'], (body) => {
    const { operation_id: id } = body;
    if (!first.has(id)) first.set(id, body[name]);
    return { ...body, [name]: first.get(id) };
  })();
}

function newestOrders(): Fault {
  const newest = new Map<string, MutableObject>();
  return {
    onReply: (passing, sent) => {
      const order = parseJsonObject(passing.body)?.['order'] as MutableObject | undefined;
      if (order === undefined || passing.status > 299) return passing;
      const id = String(order['id']);
      const known = newest.get(id);
      if (known === undefined || Number(order['version']) >= Number(known['version'])) newest.set(id, order);
      return isOrderCommand(sent) ? jsonReply(passing.status, { order: newest.get(id) }) : passing;
    },
  };
}
