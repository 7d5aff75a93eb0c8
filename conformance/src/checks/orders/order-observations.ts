import { randomUUID } from 'node:crypto';
import type { Choice, Look } from '../../context/check.ts';
import { codeOf, demandStatus, Unmet } from '../../context/expectations.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import { isObject, type JsonObject, textsOf } from '../../context/json.ts';
import { historyPath, ordersPath, quotePath } from '../../context/paths.ts';
import type { Run } from '../../context/run.ts';
import { readHistory } from '../../fixtures/orders/ledger-check.ts';
import type { OrderAction, Role } from '../../fixtures/orders/order-steps.ts';
import {
  askForAction,
  askForOrder,
  bodyOf,
  demandOrder,
  type Market,
  makeOffer,
  openMarket,
  readOrder,
  type SeenOrder,
  termsOf,
} from '../../fixtures/orders/ordering.ts';
import { answersWith, look } from '../observation.ts';
import { awaitExpiredOffer } from './deadlines.ts';

/** What servers may choose about credits and orders, and what the reference server chose (D-n). */
export const orderLooks: readonly Look[] = [
  {
    ...look('ledger-kinds', 'AP-WALLET-018', 'What are kinds and accounts called? (D-14)', async (run) => {
      const { entries } = await readHistory(run, await run.kept());
      const kinds = new Set(entries.map(({ kind }) => String(kind)));
      const accounts = new Set(entries.map(({ account_kind: account }) => String(account)));
      const isKind = (kind: string) => ['grant', 'reserve', 'payout', 'fee', 'refund'].includes(kind);
      const isAccount = (account: string) => ['available', 'reserved'].includes(account);
      const asDecided = [...kinds].every(isKind) && [...accounts].every(isAccount);
      return { seen: `${[...kinds].join(', ')} of ${[...accounts].join(', ')}`, asDecided };
    }),
    needs: ['credits'],
  },
  {
    ...look('grant-entry', 'AP-WALLET-021', 'Which order has an entry that has none? (D-14)', async (run) => {
      const { entries } = await readHistory(run, await run.kept());
      const grant = entries.find(({ kind }) => kind === 'grant');
      if (grant === undefined) throw new Unmet('there is no grant among the newest entries');
      return { seen: JSON.stringify(grant['order_id']) ?? 'none', asDecided: grant['order_id'] === null };
    }),
    needs: ['credits'],
  },
  look('history-code', 'AP-WALLET-019', 'Which code has a wrong limit of the history? (D-22)', (run) =>
    answersWith(run, { path: `${historyPath}?limit=0` }, 400, 'invalid_input'),
  ),
  look('history-parameter', 'AP-WALLET-020', 'What of a parameter that the history does not know? (D-21)', (run) =>
    answersWith(run, { path: `${historyPath}?unheard=of` }, 400, 'invalid_input'),
  ),
  look(
    'zero-amount',
    'AP-ORDER-008',
    'Is nothing an amount? (D-35)',
    (run) => answersWith(run, { method: 'POST', path: quotePath, json: { amount_minor: 0 } }, 400, 'invalid_input'),
    { writes: 1 },
  ),
  look(
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
        seen: `of its own offer ${tell(answers[0])}, otherwise ${tell(answers[1])}`,
        asDecided: codeOf(answers[0] as Exchange) === 'counterparty_required' && tell(answers[1]) === '403 forbidden',
      };
    },
    { writes: 4 },
  ),
  look(
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
  look(
    'absent-action',
    'AP-ORDER-085',
    'What of an action that there is not? (D-44)',
    async (run) => {
      const { market, offer } = await openOffer(run);
      const body = bodyOf('cancel', 'customer', offer);
      return choice(await askForAction(run, market.customer, offer.id, 'expire', body), 404, 'not_found');
    },
    { writes: 3 },
  ),
  look(
    'deadline-status',
    'AP-ORDER-084',
    'Which status has deadline_passed? (D-20, D-34)',
    async (run) => {
      const market = await openMarket(run);
      const late = await awaitExpiredOffer(run, market);
      return choice(await ask(run, market, late, 'accept', 'customer'), 409, 'deadline_passed');
    },
    { writes: 3 },
  ),
  look(
    'expiry',
    'AP-ORDER-094',
    'Does an offer expire by itself? (D-34)',
    async (run) => {
      const market = await openMarket(run);
      const late = await awaitExpiredOffer(run, market);
      const { state } = demandOrder(await readOrder(run, market.customer, late.id));
      return { seen: `it is ${String(state)}`, asDecided: state === 'offered' };
    },
    { writes: 2 },
  ),
  offerLook('order-member', 'AP-ORDER-086', 'What of a member that no order has? (D-21)', { mood: 'fine' }, [
    400,
    'invalid_input',
  ]),
  offerLook('blank-title', 'AP-ORDER-096', 'Does an offer need a title? (D-34)', { title: '' }, [400, 'invalid_input']),
  look(
    'order-with-oneself',
    'AP-ORDER-087',
    'What of an order with oneself? (D-20)',
    async (run) => {
      const market = await openMarket(run);
      const own = { ...termsOf(market, 'customer'), contractor_id: market.customer.id };
      return choice(await askForOrder(run, market.customer, own), 400, 'invalid_input');
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
  look(
    'operation-scope',
    'AP-ORDER-089',
    'Is an operation_id used up for all actions of its agent? (D-37)',
    async (run) => {
      const market = await openMarket(run);
      const terms = termsOf(market, 'customer');
      const made = await askForOrder(run, market.customer, terms);
      demandStatus(made, 201);
      const { id, version } = demandOrder(made);
      const same = { operation_id: terms['operation_id'], expected_version: version };
      return choice(await askForAction(run, market.customer, String(id), 'cancel', same), 409, 'idempotency_conflict');
    },
    { writes: 3 },
  ),
  look(
    'refused-operation',
    'AP-ORDER-090',
    'May the operation_id of what was refused be used again? (D-37)',
    async (run) => {
      const market = await openMarket(run);
      const offer = await makeOffer(run, market, 'customer');
      const id = { operation_id: randomUUID() };
      await ask(run, market, offer, 'cancel', 'customer', { ...id, expected_version: offer.version + 1 });
      const { status } = await ask(run, market, offer, 'cancel', 'customer', id);
      return { seen: String(status), asDecided: status === 200 };
    },
    { writes: 4 },
  ),
  look('order-list-names', 'AP-ORDER-091', 'How is the list of orders called, and its pages? (D-6)', async (run) => {
    const { token } = await run.kept();
    const { json } = await run.ask({ path: `${ordersPath}?page_size=1`, token });
    const names = isObject(json) ? Object.keys(json) : [];
    return { seen: names.join(', '), asDecided: names.toSorted().join() === 'next_page,orders,page,page_size' };
  }),
  look(
    'order-names',
    'AP-ORDER-092',
    'How are the participants of an order called, and what else has it? (D-12)',
    async (run) => {
      const { market, offer } = await openOffer(run);
      const order = demandOrder(await readOrder(run, market.customer, offer.id));
      const names = ['author_id', 'customer', 'contractor', 'refund_proposal', 'created_at', 'updated_at'];
      return { seen: Object.keys(order).join(', '), asDecided: names.every((name) => name in order) };
    },
    { writes: 2 },
  ),
  look(
    'order-history',
    'AP-ORDER-093',
    'How is the history of an order written, and how does it begin? (D-13)',
    async (run) => {
      const { market, offer } = await openOffer(run);
      const { json } = await readOrder(run, market.customer, offer.id);
      const events: unknown = isObject(json) ? json['events'] : undefined;
      const first: unknown = Array.isArray(events) ? events[0] : undefined;
      if (!isObject(first)) return { seen: 'empty at the beginning', asDecided: false };
      const names = Object.keys(first);
      const isNamed = names.toSorted().join() === 'action,created_at,participant_id,reason,state,version';
      return {
        seen: `${names.join(', ')}; first ${textsOf(first)[0]?.text}`,
        asDecided: isNamed && first['action'] === 'create',
      };
    },
    { writes: 2 },
  ),
  look('unknown-state', 'AP-ORDER-095', 'What of a state that there is not, in the list? (D-22)', (run) =>
    answersWith(run, { path: `${ordersPath}?state=unheard-of` }, 400, 'invalid_input'),
  ),
];

const offers = new WeakMap<Run, SeenOrder>();

/** An offer that nobody takes, for whoever wants to look at one. */
async function openOffer(run: Run): Promise<{ readonly market: Market; readonly offer: SeenOrder }> {
  const market = await openMarket(run);
  const offer = offers.get(run) ?? (await makeOffer(run, market, 'customer'));
  offers.set(run, offer);
  return { market, offer };
}

function ask(run: Run, market: Market, order: SeenOrder, action: OrderAction, role: Role, change: JsonObject = {}) {
  return askForAction(run, market[role], order.id, action, { ...bodyOf(action, role, order), ...change });
}

function offerLook(
  id: string,
  requirement: string,
  question: string,
  change: JsonObject,
  decided: readonly [status: number, code: string],
): Look {
  return look(
    id,
    requirement,
    question,
    async (run) => {
      const market = await openMarket(run);
      return choice(await askForOrder(run, market.customer, { ...termsOf(market, 'customer'), ...change }), ...decided);
    },
    { writes: 2 },
  );
}

function choice(answer: Exchange, status: number, code: string): Choice {
  return { seen: tell(answer), asDecided: answer.status === status && codeOf(answer) === code };
}

function tell(answer: Exchange | undefined): string {
  return `${answer?.status} ${(answer && codeOf(answer)) ?? 'without a code'}`;
}
