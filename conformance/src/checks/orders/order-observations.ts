import { randomUUID } from 'node:crypto';
import type { Behaviour, Observation } from '../../context/check.ts';
import { codeOf, expectStatus, Skipped } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { isObject, type JsonObject, textsOf } from '../../context/json.ts';
import { historyPath, ordersPath, quotePath } from '../../context/paths.ts';
import type { Run } from '../../context/run.ts';
import { readHistory } from '../../fixtures/orders/ledger-check.ts';
import type { OrderAction, Role } from '../../fixtures/orders/order-steps.ts';
import {
  bodyOf,
  expectOrder,
  makeOffer,
  type Order,
  type OrderParties,
  orderParties,
  postAction,
  postOrder,
  readOrder,
  termsOf,
} from '../../fixtures/orders/ordering.ts';
import { answersWith, observation } from '../observation.ts';
import { awaitExpiredOffer } from './deadlines.ts';

/** What servers may choose about credits and orders, and what the reference server chose (D-n). */
export const orderObservations: readonly Observation[] = [
  {
    ...observation('ledger-kinds', 'AP-WALLET-018', 'Which names do kinds and accounts have? (D-14)', async (run) => {
      const { entries } = await readHistory(run, await run.primaryAgent());
      const kinds = new Set(entries.map(({ kind }) => String(kind)));
      const accounts = new Set(entries.map(({ account_kind: account }) => String(account)));
      const isKind = (kind: string) => ['grant', 'reserve', 'payout', 'fee', 'refund'].includes(kind);
      const isAccount = (account: string) => ['available', 'reserved'].includes(account);
      const asDecided = [...kinds].every(isKind) && [...accounts].every(isAccount);
      return { observed: `${[...kinds].join(', ')} of ${[...accounts].join(', ')}`, matchesDecision: asDecided };
    }),
    needs: ['credits'],
  },
  {
    ...observation(
      'grant-entry',
      'AP-WALLET-021',
      'Which order_id does an entry without an order have? (D-14)',
      async (run) => {
        const { entries } = await readHistory(run, await run.primaryAgent());
        const grant = entries.find(({ kind }) => kind === 'grant');
        if (grant === undefined) throw new Skipped('the newest entries contain no grant');
        return { observed: JSON.stringify(grant['order_id']) ?? 'none', matchesDecision: grant['order_id'] === null };
      },
    ),
    needs: ['credits'],
  },
  observation('history-code', 'AP-WALLET-019', 'Which code does an invalid limit of the history have? (D-22)', (run) =>
    answersWith(run, { path: `${historyPath}?limit=0` }, 400, 'invalid_input'),
  ),
  observation(
    'history-parameter',
    'AP-WALLET-020',
    'How is an unknown parameter of the history handled? (D-21)',
    (run) => answersWith(run, { path: `${historyPath}?unheard=of` }, 400, 'invalid_input'),
  ),
  observation(
    'zero-amount',
    'AP-ORDER-008',
    'Is an amount of 0 accepted? (D-35)',
    (run) => answersWith(run, { method: 'POST', path: quotePath, json: { amount_minor: 0 } }, 400, 'invalid_input'),
    { writes: 1 },
  ),
  observation(
    'wrong-role',
    'AP-ORDER-082',
    'Which code does a wrong role have? (D-36)',
    async (run) => {
      const { market, offer } = await openOffer(run);
      const answers = [
        await ask(run, market, offer, 'accept', 'customer'),
        await ask(run, market, offer, 'cancel', 'contractor'),
      ];
      return {
        observed: `of its own offer ${tell(answers[0])}, otherwise ${tell(answers[1])}`,
        matchesDecision:
          codeOf(answers[0] as Exchange) === 'counterparty_required' && tell(answers[1]) === '403 forbidden',
      };
    },
    { writes: 4 },
  ),
  observation(
    'first-reason',
    'AP-ORDER-083',
    'Which error is returned for a wrong role with a wrong version? (D-20)',
    async (run) => {
      const { market, offer } = await openOffer(run);
      const change = { expected_version: 999_999 };
      return choice(await ask(run, market, offer, 'cancel', 'contractor', change), 403, 'forbidden');
    },
    { writes: 3 },
  ),
  observation(
    'absent-action',
    'AP-ORDER-085',
    'How is an unknown action answered? (D-44)',
    async (run) => {
      const { market, offer } = await openOffer(run);
      const body = bodyOf('cancel', 'customer', offer);
      return choice(await postAction(run, market.customer, offer.id, 'expire', body), 404, 'not_found');
    },
    { writes: 3 },
  ),
  observation(
    'deadline-status',
    'AP-ORDER-084',
    'Which status does deadline_passed have? (D-20, D-34)',
    async (run) => {
      const market = await orderParties(run);
      const late = await awaitExpiredOffer(run, market);
      return choice(await ask(run, market, late, 'accept', 'customer'), 409, 'deadline_passed');
    },
    { writes: 3 },
  ),
  observation(
    'expiry',
    'AP-ORDER-094',
    'Does an offer expire at its deadline? (D-34)',
    async (run) => {
      const market = await orderParties(run);
      const late = await awaitExpiredOffer(run, market);
      const { state } = expectOrder(await readOrder(run, market.customer, late.id));
      return { observed: `it is ${String(state)}`, matchesDecision: state === 'offered' };
    },
    { writes: 2 },
  ),
  offerLook('order-member', 'AP-ORDER-086', 'How is an unknown member of an order handled? (D-21)', { mood: 'fine' }, [
    400,
    'invalid_input',
  ]),
  offerLook('blank-title', 'AP-ORDER-096', 'Does an offer require a title? (D-34)', { title: '' }, [
    400,
    'invalid_input',
  ]),
  observation(
    'order-with-oneself',
    'AP-ORDER-087',
    'How is an order with oneself answered? (D-20)',
    async (run) => {
      const market = await orderParties(run);
      const own = { ...termsOf(market, 'customer'), contractor_id: market.customer.id };
      return choice(await postOrder(run, market.customer, own), 400, 'invalid_input');
    },
    { writes: 2 },
  ),
  offerLook(
    'unknown-counterpart',
    'AP-ORDER-088',
    'How is an order with an unknown agent answered? (D-45)',
    { contractor_id: '01a1fdfe-0000-4000-8000-000000000000' },
    [403, 'friendship_required'],
  ),
  observation(
    'operation-scope',
    'AP-ORDER-089',
    'Is an operation_id unique over all actions of its agent? (D-37)',
    async (run) => {
      const market = await orderParties(run);
      const terms = termsOf(market, 'customer');
      const made = await postOrder(run, market.customer, terms);
      expectStatus(made, 201);
      const { id, version } = expectOrder(made);
      const same = { operation_id: terms['operation_id'], expected_version: version };
      return choice(await postAction(run, market.customer, String(id), 'cancel', same), 409, 'idempotency_conflict');
    },
    { writes: 3 },
  ),
  observation(
    'refused-operation',
    'AP-ORDER-090',
    'Can the operation_id of a refused command be used again? (D-37)',
    async (run) => {
      const market = await orderParties(run);
      const offer = await makeOffer(run, market, 'customer');
      const id = { operation_id: randomUUID() };
      await ask(run, market, offer, 'cancel', 'customer', { ...id, expected_version: offer.version + 1 });
      const { status } = await ask(run, market, offer, 'cancel', 'customer', id);
      return { observed: String(status), matchesDecision: status === 200 };
    },
    { writes: 4 },
  ),
  observation(
    'order-list-names',
    'AP-ORDER-091',
    'Which names do the list of orders and its pagination members have? (D-6)',
    async (run) => {
      const { token } = await run.primaryAgent();
      const { json } = await run.send({ path: `${ordersPath}?page_size=1`, token });
      const names = isObject(json) ? Object.keys(json) : [];
      return {
        observed: names.join(', '),
        matchesDecision: names.toSorted().join() === 'next_page,orders,page,page_size',
      };
    },
  ),
  observation(
    'order-names',
    'AP-ORDER-092',
    'Which names do the participants of an order have, and which other members? (D-12)',
    async (run) => {
      const { market, offer } = await openOffer(run);
      const order = expectOrder(await readOrder(run, market.customer, offer.id));
      const names = ['author_id', 'customer', 'contractor', 'refund_proposal', 'created_at', 'updated_at'];
      return { observed: Object.keys(order).join(', '), matchesDecision: names.every((name) => name in order) };
    },
    { writes: 2 },
  ),
  observation(
    'order-history',
    'AP-ORDER-093',
    'Which members does the history of an order have, and which entry is first? (D-13)',
    async (run) => {
      const { market, offer } = await openOffer(run);
      const { json } = await readOrder(run, market.customer, offer.id);
      const events: unknown = isObject(json) ? json['events'] : undefined;
      const first: unknown = Array.isArray(events) ? events[0] : undefined;
      if (!isObject(first)) return { observed: 'empty at the beginning', matchesDecision: false };
      const names = Object.keys(first);
      const isNamed = names.toSorted().join() === 'action,created_at,participant_id,reason,state,version';
      return {
        observed: `${names.join(', ')}; first ${textsOf(first)[0]?.text}`,
        matchesDecision: isNamed && first['action'] === 'create',
      };
    },
    { writes: 2 },
  ),
  observation('unknown-state', 'AP-ORDER-095', 'How is an unknown state in the list handled? (D-22)', (run) =>
    answersWith(run, { path: `${ordersPath}?state=unheard-of` }, 400, 'invalid_input'),
  ),
];

const offers = new WeakMap<Run, Order>();

/** An offer that nobody takes, for whoever wants to look at one. */
async function openOffer(run: Run): Promise<{ readonly market: OrderParties; readonly offer: Order }> {
  const market = await orderParties(run);
  const offer = offers.get(run) ?? (await makeOffer(run, market, 'customer'));
  offers.set(run, offer);
  return { market, offer };
}

function ask(run: Run, market: OrderParties, order: Order, action: OrderAction, role: Role, change: JsonObject = {}) {
  return postAction(run, market[role], order.id, action, { ...bodyOf(action, role, order), ...change });
}

function offerLook(
  id: string,
  requirement: string,
  question: string,
  change: JsonObject,
  decided: readonly [status: number, code: string],
): Observation {
  return observation(
    id,
    requirement,
    question,
    async (run) => {
      const market = await orderParties(run);
      return choice(await postOrder(run, market.customer, { ...termsOf(market, 'customer'), ...change }), ...decided);
    },
    { writes: 2 },
  );
}

function choice(answer: Exchange, status: number, code: string): Behaviour {
  return { observed: tell(answer), matchesDecision: answer.status === status && codeOf(answer) === code };
}

function tell(answer: Exchange | undefined): string {
  return `${answer?.status} ${(answer && codeOf(answer)) ?? 'without a code'}`;
}
