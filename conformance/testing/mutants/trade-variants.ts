import { randomUUID } from 'node:crypto';
import { isUuid } from '../../src/context/expectations.ts';
import { parseFaults } from '../fault-language.ts';
import { changeRequests, type MutableObject, parseJsonObject, refusal, withJson } from '../faults.ts';
import { isOrderCommand } from '../order-faults.ts';
import type { Fault } from '../passing.ts';

const five = '200 {"quote":{"amount_minor":5,"fee_minor":1,"total_minor":6,"fee_bps":1000}}';
const none = '200 {"quote":{"amount_minor":0,"fee_minor":0,"total_minor":0,"fee_bps":1000}}';

// The id in `unknown-counterpart` is the one that the observation uses; no agent has it.

export const tradeVariants = parseFaults(
  'choice',
  `
rename kinds and accounts | ledger-kinds | GET /wallet/history* 200 -> map entries[].kind past & GET /wallet/history* 200 -> map entries[].account_kind credits
leave out a missing order | grant-entry | GET /wallet/history* 200 -> change entries[].order_id null undefined
call a wrong limit wrong paging | history-code | GET /wallet/history?* 400 -> code invalid_pagination
price an amount of 0 | zero-amount | POST /orders/quote sent:'^{"amount_minor":0}$' <- ${none}
round amounts to integers | rounded-amount | POST /orders/quote sent:'4[.]9999' <- ${five}
have one code for the wrong role | wrong-role | * counterparty_required -> 403 forbidden
check versions first | first-reason | POST /orders/* path:'/orders/.+/' sent:'999999' 403 -> 409 version_conflict
call an absent action malformed | absent-action | POST /orders/* path:'/(expire|resume|arbitrate|partial-refund)$' -> 400 invalid_input
call a late acceptance malformed | deadline-status | * deadline_passed -> 400 deadline_passed
let offers expire | expiry | * /orders* -> map order.state lateState & * /orders* -> map orders[].state lateState
ignore unknown members of an order | order-member | POST /orders <- drop mood
call a missing confirmation a changed price | missing-confirmation | POST /orders* 400 has:'confirmed_total' sent:'^(?!.*confirmed_total)' -> 409 price_changed
offer without a title | blank-title | POST /orders <- change title "" "Untitled"
require friendship of an agent with itself | order-with-oneself | POST /orders refused has:'two different agents' -> 403 friendship_required
find no counterpart that does not exist | unknown-counterpart | POST /orders refused sent:'"contractor_id":"01a1fdfe-0000-4000-8000-000000000000"' -> 404 not_found
take an operation_id again for another command or order | reused-operation | = renewsOperations
never take the operation_id of a refusal again | refused-operation | = keepsRefusedOperations
rename the list of orders | order-list-names | * /orders?* -> members orders=items
rename the participants of an order | order-names | * /orders* -> members customer=customer_agent contractor=contractor_agent author_id=made_by refund_proposal=proposal
begin the history with the first action | order-history | GET /orders/* 200 -> map events fromFirstAction
list nothing in an unknown state | unknown-state | * path:'[?]state=unheard-of$' <- 200 {"orders":[],"page":1}
`,
  {
    past: (kind: unknown) => (kind === 'grant' ? kind : `${kind}d`),
    credits: (account: unknown) => `${account} credits`,
    lateState: (state: unknown, { deadline }: MutableObject) =>
      state === 'offered' && Date.parse(String(deadline)) < Date.now() ? 'expired' : state,
    fromFirstAction: (events: readonly MutableObject[]) =>
      events.slice(1).map(({ action, participant_id: who, state, version, reason: _, ...when }) => ({
        did: `${action}ed`,
        by: { id: who },
        became: state,
        as: version,
        when,
      })),
  },
  {
    keepsRefusedOperations,
    renewsOperations,
  },
);

/** Gives an operation_id another value, always the same, on each path but the first that it was sent to. */
function renewsOperations(): Fault {
  const used = new Map<unknown, Map<string, unknown>>();
  return changeRequests(isOrderCommand, (sent) =>
    withJson(sent, (body) => {
      const { operation_id: id } = body;
      if (!isUuid(id)) return body;
      const renewed = used.get(id) ?? new Map([[sent.path, id]]);
      used.set(id, renewed);
      renewed.set(sent.path, renewed.get(sent.path) ?? randomUUID());
      return { ...body, operation_id: renewed.get(sent.path) };
    }),
  );
}

function keepsRefusedOperations(): Fault {
  const refused = new Map<unknown, string>();
  const idOf = (body: string) => parseJsonObject(body)?.['operation_id'];
  return {
    onRequest: (passing) => {
      const before = isOrderCommand(passing) ? refused.get(idOf(passing.body)) : undefined;
      return before === undefined || before === passing.body ? passing : refusal(409, 'idempotency_conflict');
    },
    onReply: (passing, sent) => {
      if (isOrderCommand(sent) && passing.status === 409 && !refused.has(idOf(sent.body)))
        refused.set(idOf(sent.body), sent.body);
      return passing;
    },
  };
}
