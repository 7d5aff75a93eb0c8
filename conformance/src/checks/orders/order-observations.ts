import { randomUUID } from 'node:crypto';
import type { Behaviour, Observation } from '../../context/check.ts';
import { codeOf, expect, Skipped } from '../../context/expectations.ts';
import { fixture } from '../../context/fixture.ts';
import { isObject, textsOf } from '../../context/json.ts';
import { historyPath, ordersPath, quotePath } from '../../context/paths.ts';
import type { Run } from '../../context/run.ts';
import { readHistory } from '../../fixtures/orders/ledger-check.ts';
import { expectOrder, Order, orderParties } from '../../fixtures/orders/ordering.ts';
import { answerTo, compareAnswer, compareNames, describeAnswer, observation, withCommon } from '../observation.ts';
import { expiredOffer, expiringOffer } from './deadlines.ts';

/** An offer that is never accepted. */
const openOffer = fixture({ writes: 1 }, async (run) => (await orderParties(run)).offer('customer'));

/** Open behaviour of credits and orders. */
export const orderObservations: readonly Observation[] = [
  ...withCommon({ needs: ['credits'] }, [
    observation('ledger-kinds', 'AP-WALLET-018', 'Which names do kinds and accounts have? (D-14)', async (run) => {
      const { entries } = await readHistory(await run.primaryAgent());
      const kinds = [...new Set(entries.map(({ kind }) => String(kind)))];
      const accounts = [...new Set(entries.map(({ account_kind: account }) => String(account)))];
      const areKinds = kinds.every((kind) => ['grant', 'reserve', 'payout', 'fee', 'refund'].includes(kind));
      const areAccounts = accounts.every((account) => ['available', 'reserved'].includes(account));
      return { observed: `${kinds.join(', ')} of ${accounts.join(', ')}`, matchesDecision: areKinds && areAccounts };
    }),
    observation('grant-entry', 'AP-WALLET-021', 'Which order_id has an entry without an order? (D-14)', async (run) => {
      const { entries } = await readHistory(await run.primaryAgent());
      const grant = entries.find(({ kind }) => kind === 'grant');
      if (grant === undefined) throw new Skipped('there is no grant among the newest entries');
      return { observed: JSON.stringify(grant['order_id']) ?? 'none', matchesDecision: grant['order_id'] === null };
    }),
  ]),
  answerTo('history-code', 'AP-WALLET-019', 'Which code has an invalid limit? (D-22)', '400 invalid_input', (run) =>
    read(run, `${historyPath}?limit=0`),
  ),
  answerTo(
    'history-parameter',
    'AP-WALLET-020',
    'How is an unknown parameter of the history handled? (D-21)',
    '400 invalid_input',
    (run) => read(run, `${historyPath}?unheard=of`),
  ),
  answerTo('unknown-state', 'AP-ORDER-095', 'How is an unknown state answered? (D-22)', '400 invalid_input', (run) =>
    read(run, `${ordersPath}?state=unheard-of`),
  ),
  observation('order-list-names', 'AP-ORDER-091', 'Which members does the list of orders have? (D-6)', async (run) => {
    const { json } = await read(run, `${ordersPath}?page_size=1`);
    return compareNames(Object.keys(isObject(json) ? json : {}), ['next_page', 'orders', 'page', 'page_size']);
  }),
  ...withCommon({ cost: { writes: 2 }, fixtures: [openOffer] }, [
    answerTo('zero-amount', 'AP-ORDER-008', 'Is an amount of 0 accepted? (D-35)', '400 invalid_input', async (run) =>
      (await run.primaryAgent()).post(quotePath, { amount_minor: 0 }),
    ),
    observation('wrong-role', 'AP-ORDER-082', 'Which code does a wrong role have? (D-36)', async (run) => {
      const offer = await openOffer(run);
      const ownOffer = await offer.post(['accept', 'customer']);
      const otherwise = await offer.post(['cancel', 'contractor']);
      return {
        observed: `on its own offer ${describeAnswer(ownOffer)}, otherwise ${describeAnswer(otherwise)}`,
        matchesDecision: codeOf(ownOffer) === 'counterparty_required' && describeAnswer(otherwise) === '403 forbidden',
      };
    }),
    answerTo(
      'first-reason',
      'AP-ORDER-083',
      'Which error is returned for a wrong role with a wrong version? (D-20)',
      '403 forbidden',
      async (run) => (await openOffer(run)).post(['cancel', 'contractor'], { expected_version: 999_999 }),
    ),
    answerTo(
      'absent-action',
      'AP-ORDER-085',
      'How is an unknown action answered? (D-44)',
      '404 not_found',
      async (run) => {
        const offer = await openOffer(run);
        return await offer.parties.customer.post(offer.path('expire'), offer.body('cancel', 'customer'));
      },
    ),
    observation('order-names', 'AP-ORDER-092', 'Which members does an order have? (D-12)', async (run) => {
      const order = expectOrder(await (await openOffer(run)).readAs('customer'));
      const names = ['author_id', 'customer', 'contractor', 'refund_proposal', 'created_at', 'updated_at'];
      return { observed: Object.keys(order).join(', '), matchesDecision: names.every((name) => name in order) };
    }),
    observation('order-history', 'AP-ORDER-093', 'Which members does the history have? (D-13)', async (run) => {
      const { json } = await (await openOffer(run)).readAs('customer');
      const [first] = isObject(json) && Array.isArray(json['events']) ? json['events'] : [];
      return observeEntry(first);
    }),
  ]),
  ...withCommon({ cost: { writes: 2 }, fixtures: [expiringOffer, expiredOffer] }, [
    answerTo(
      'deadline-status',
      'AP-ORDER-084',
      'Which status does deadline_passed have? (D-20, D-34)',
      '409 deadline_passed',
      async (run) => (await currentExpiredOffer(run)).post(['accept', 'customer']),
    ),
    observation('expiry', 'AP-ORDER-094', 'Does an offer expire at its deadline? (D-34)', async (run) => {
      const { state } = expectOrder(await (await currentExpiredOffer(run)).readAs('customer'));
      return { observed: `the state is ${String(state)}`, matchesDecision: state === 'offered' };
    }),
  ]),
  ...withCommon({ cost: { writes: 4 } }, [
    answerTo('order-member', 'AP-ORDER-086', 'Is an unknown member refused? (D-21)', '400 invalid_input', (run) =>
      offer(run, { mood: 'fine' }),
    ),
    answerTo('blank-title', 'AP-ORDER-096', 'Does an offer require a title? (D-34)', '400 invalid_input', (run) =>
      offer(run, { title: '' }),
    ),
    answerTo(
      'order-with-oneself',
      'AP-ORDER-087',
      'How is an order with oneself answered? (D-20)',
      '400 invalid_input',
      async (run) => offer(run, { contractor_id: (await orderParties(run)).customer.id }),
    ),
    answerTo(
      'unknown-counterpart',
      'AP-ORDER-088',
      'How is an order with an unknown agent answered? (D-45)',
      '403 friendship_required',
      (run) => offer(run, { contractor_id: '01a1fdfe-0000-4000-8000-000000000000' }),
    ),
    answerTo(
      'operation-scope',
      'AP-ORDER-089',
      'Is an operation_id unique over all actions of its agent? (D-37)',
      '409 idempotency_conflict',
      async (run) => {
        const operation_id = randomUUID();
        const made = expect.status(await offer(run, { operation_id }), 201);
        return await new Order(await orderParties(run), 'customer', made).post(['cancel', 'customer'], {
          operation_id,
        });
      },
    ),
    observation(
      'refused-operation',
      'AP-ORDER-090',
      'Can the operation_id of a refused command be used again? (D-37)',
      async (run) => {
        const order = await (await orderParties(run)).offer('customer');
        const id = { operation_id: randomUUID() };
        await order.post(['cancel', 'customer'], { ...id, expected_version: order.version + 1 });
        return compareAnswer(await order.post(['cancel', 'customer'], id), '200');
      },
    ),
  ]),
];

/** The expired offer between the agents of now: a check has rotated a token since. */
async function currentExpiredOffer(run: Run): Promise<Order> {
  return (await expiredOffer(run)).between(await orderParties(run));
}

function observeEntry(first: unknown): Behaviour {
  if (!isObject(first)) return { observed: 'empty at the beginning', matchesDecision: false };
  const names = ['action', 'created_at', 'participant_id', 'reason', 'state', 'version'];
  const { observed, matchesDecision } = compareNames(Object.keys(first), names);
  return {
    observed: `${observed}; first ${textsOf(first)[0]?.text}`,
    matchesDecision: matchesDecision && first['action'] === 'create',
  };
}

async function read(run: Run, path: string) {
  return await (await run.primaryAgent()).get(path);
}

async function offer(run: Run, change: object) {
  return await (await orderParties(run)).postOffer('customer', change);
}
