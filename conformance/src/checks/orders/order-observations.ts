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
    ...observation('ledger-kinds', 'AP-WALLET-018', 'What are kinds and accounts called? (D-14)', async (run) => {
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
    ...observation('grant-entry', 'AP-WALLET-021', 'Which order has an entry that has none? (D-14)', async (run) => {
      const { entries } = await readHistory(run, await run.primaryAgent());
      const grant = entries.find(({ kind }) => kind === 'grant');
      if (grant === undefined) throw new Skipped('there is no grant among the newest entries');
      return { observed: JSON.stringify(grant['order_id']) ?? 'none', matchesDecision: grant['order_id'] === null };
    }),
    needs: ['credits'],
  },
  observation('history-code', 'AP-WALLET-019', 'Which code has a wrong limit of the history? (D-22)', (run) =>
    answersWith(run, { path: `${historyPath}?limit=0` }, 400, 'invalid_input'),
  ),
  observation(
    'history-parameter',
    'AP-WALLET-020',
    'What of a parameter that the history does not know? (D-21)',
    (run) => answersWith(run, { path: `${historyPath}?unheard=of` }, 400, 'invalid_input'),
  ),
  observation(
    'zero-amount',
    'AP-ORDER-008',
    'Is nothing an amount? (D-35)',
    (run) => answersWith(run, { method: 'POST', path: quotePath, json: { amount_minor: 0 } }, 400, 'invalid_input'),
    { writes: 1 },
  ),
  observation(
    'wrong-role',
    'AP-ORDER-082',
    'Which code has the wrong one? (D-36)',
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
    'What is told of a wrong one with a wrong version? (D-20)',
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
    'What of an action that there is not? (D-44)',
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
    'Which status has deadline_passed? (D-20, D-34)',
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
    'Does an offer expire by itself? (D-34)',
    async (run) => {
      const market = await orderParties(run);
      const late = await awaitExpiredOffer(run, market);
      const { state } = expectOrder(await readOrder(run, market.customer, late.id));
      return { observed: `it is ${String(state)}`, matchesDecision: state === 'offered' };
    },
    { writes: 2 },
  ),
  offerLook('order-member', 'AP-ORDER-086', 'What of a member that no order has? (D-21)', { mood: 'fine' }, [
    400,
    'invalid_input',
  ]),
  offerLook('blank-title', 'AP-ORDER-096', 'Does an offer need a title? (D-34)', { title: '' }, [400, 'invalid_input']),
  observation(
    'order-with-oneself',
    'AP-ORDER-087',
    'What of an order with oneself? (D-20)',
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
    'What of an order with an agent that does not exist? (D-45)',
    { contractor_id: '01a1fdfe-0000-4000-8000-000000000000' },
    [403, 'friendship_required'],
  ),
  observation(
    'operation-scope',
    'AP-ORDER-089',
    'Is an operation_id used up for all actions of its agent? (D-37)',
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
    'May the operation_id of what was refused be used again? (D-37)',
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
    'How is the list of orders called, and its pages? (D-6)',
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
    'How are the participants of an order called, and what else has it? (D-12)',
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
    'How is the history of an order written, and how does it begin? (D-13)',
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
  observation('unknown-state', 'AP-ORDER-095', 'What of a state that there is not, in the list? (D-22)', (run) =>
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
