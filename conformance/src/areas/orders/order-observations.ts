import {
  defineFixture,
  type Observation,
  type ObservedBehaviour,
  primaryAgent,
  type Run,
} from '../../context/check.ts';
import { errorCodeOf, SkippedError } from '../../context/expectations.ts';
import { isObject, listStrings } from '../../context/json.ts';
import { historyPath, ordersPath, quotePath } from '../../context/paths.ts';
import {
  combineBehaviours,
  compareAnswer,
  compareMemberNames,
  compareRequiredMembers,
  describeAnswer,
  openQuestion,
  withStart,
} from '../observation.ts';
import { expiredOffer, expiringOffer } from './deadlines.ts';
import { readHistory } from './ledger-check.ts';
import { expectOrder, type Order, orderParties } from './ordering.ts';

const openOffer = defineFixture({ writes: 1 }, async (run) => (await orderParties(run)).offer('customer'));

export const orderObservations: readonly Observation[] = [
  ...withStart(async (run: Run) => (await readHistory(run, await run.primaryAgent())).entries, { needs: ['credits'] }, [
    openQuestion('ledger-kinds', 'AP-WALLET-018', 'Which names do kinds and accounts have?', (entries) => {
      const kinds = [...new Set(entries.map(({ kind }) => String(kind)))];
      const accounts = [...new Set(entries.map(({ account_kind: account }) => String(account)))];
      const areKinds = kinds.every((kind) => ['grant', 'reserve', 'payout', 'fee', 'refund'].includes(kind));
      const areAccounts = accounts.every((account) => ['available', 'reserved'].includes(account));
      return { observed: `${kinds.join(', ')} of ${accounts.join(', ')}`, matchesDecision: areKinds && areAccounts };
    }),
    openQuestion('grant-entry', 'AP-WALLET-021', 'Which order_id has an entry without an order?', (entries) => {
      const grant = entries.find(({ kind }) => kind === 'grant');
      if (grant === undefined) throw new SkippedError('there is no grant among the newest entries');
      return { observed: JSON.stringify(grant['order_id']) ?? 'none', matchesDecision: grant['order_id'] === null };
    }),
  ]),
  ...withStart(primaryAgent, {}, [
    openQuestion('history-code', 'AP-WALLET-019', 'Which code does an invalid limit have?', (agent) =>
      compareAnswer(agent.get(`${historyPath}?limit=0`), '400 invalid_input'),
    ),
    openQuestion('unknown-state', 'AP-ORDER-095', 'How is an unknown state answered?', (agent) =>
      compareAnswer(agent.get(`${ordersPath}?state=unheard-of`), '400 invalid_input'),
    ),
    openQuestion('order-list-names', 'AP-ORDER-091', 'Which members does the list of orders have?', async (agent) => {
      const { json } = await agent.get(`${ordersPath}?page_size=1`);
      return compareMemberNames(isObject(json) ? json : {}, ['next_page', 'orders', 'page', 'page_size']);
    }),
  ]),
  ...withStart(primaryAgent, { cost: { writes: 2 } }, [
    openQuestion('zero-amount', 'AP-ORDER-008', 'Is an amount of 0 accepted?', (agent) =>
      compareAnswer(agent.post(quotePath, { amount_minor: 0 }), '400 invalid_input'),
    ),
    openQuestion(
      'rounded-amount',
      'AP-ORDER-097',
      'Is an amount accepted whose digits are close to an integer?',
      (agent) => {
        const headers = { 'content-type': 'application/json' };
        const body = '{"amount_minor":4.9999999999999999999999}';
        return compareAnswer(agent.send({ method: 'POST', path: quotePath, body, headers }), '400 invalid_input');
      },
    ),
  ]),
  ...withStart(openOffer, { cost: { writes: 2 } }, [
    openQuestion('wrong-role', 'AP-ORDER-082', 'Which code does a wrong role have?', async (offer) => {
      const ownOffer = await offer.post(['accept', 'customer']);
      const otherwise = await offer.post(['cancel', 'contractor']);
      return {
        observed: `on its own offer ${describeAnswer(ownOffer)}, otherwise ${describeAnswer(otherwise)}`,
        matchesDecision:
          errorCodeOf(ownOffer) === 'counterparty_required' && describeAnswer(otherwise) === '403 forbidden',
      };
    }),
    openQuestion(
      'first-reason',
      'AP-ORDER-083',
      'Which error is returned for a wrong role with a wrong version?',
      (offer) => compareAnswer(offer.post(['cancel', 'contractor'], { expected_version: 999_999 }), '403 forbidden'),
    ),
    openQuestion('absent-action', 'AP-ORDER-085', 'How is an unknown action answered?', (offer) => {
      const { customer } = offer.parties;
      return compareAnswer(customer.post(offer.path('expire'), offer.body('cancel', 'customer')), '404 not_found');
    }),
    openQuestion('order-names', 'AP-ORDER-092', 'Which members does an order have?', async (offer) => {
      const names = ['author_id', 'customer', 'contractor', 'refund_proposal', 'created_at', 'updated_at'];
      return compareRequiredMembers(expectOrder(await offer.readAs('customer')), names);
    }),
    openQuestion('order-history', 'AP-ORDER-093', 'Which members does the history have?', async (offer) => {
      const { json } = await offer.readAs('customer');
      const [first] = isObject(json) && Array.isArray(json['events']) ? json['events'] : [];
      return observeEntry(first);
    }),
  ]),
  ...withStart(currentExpiredOffer, { cost: { writes: 2 }, fixtures: [expiringOffer, expiredOffer] }, [
    openQuestion('deadline-status', 'AP-ORDER-084', 'Which status does deadline_passed have?', (offer) =>
      compareAnswer(offer.post(['accept', 'customer']), '409 deadline_passed'),
    ),
    openQuestion('expiry', 'AP-ORDER-094', 'Does an offer expire at its deadline?', async (offer) => {
      const { state } = expectOrder(await offer.readAs('customer'));
      return { observed: `the state is ${String(state)}`, matchesDecision: state === 'offered' };
    }),
  ]),
  ...withStart(orderParties, { cost: { writes: 4 } }, [
    openQuestion('order-member', 'AP-ORDER-086', 'Is an unknown member refused?', (parties) =>
      compareAnswer(parties.postOffer('customer', { mood: 'fine' }), '400 invalid_input'),
    ),
    openQuestion('missing-confirmation', 'AP-ORDER-099', 'Which code does a missing confirmation have?', (parties) =>
      compareAnswer(parties.postOffer('customer', { confirmed_total_minor: undefined }), '400 invalid_input'),
    ),
    openQuestion('blank-title', 'AP-ORDER-096', 'Does an offer require a title?', (parties) =>
      compareAnswer(parties.postOffer('customer', { title: '' }), '400 invalid_input'),
    ),
    openQuestion('order-with-oneself', 'AP-ORDER-087', 'How is an order with oneself answered?', (parties) =>
      compareAnswer(parties.postOffer('customer', { contractor_id: parties.customer.id }), '400 invalid_input'),
    ),
    openQuestion('unknown-counterpart', 'AP-ORDER-088', 'How is an order with an unknown agent answered?', (parties) =>
      compareAnswer(
        parties.postOffer('customer', { contractor_id: '01a1fdfe-0000-4000-8000-000000000000' }),
        '403 friendship_required',
      ),
    ),
    openQuestion(
      'refused-operation',
      'AP-ORDER-090',
      'Can the operation_id of a refused command be used again?',
      async (parties, run) => {
        const order = await parties.offer('customer');
        const id = { operation_id: run.random.uuid() };
        await order.post(['cancel', 'customer'], { ...id, expected_version: order.version + 1 });
        return await compareAnswer(order.post(['cancel', 'customer'], id), '200');
      },
    ),
    openQuestion(
      'reused-operation',
      'AP-ORDER-103',
      'Can a used operation_id be used again for another command or order?',
      async (parties, run) => {
        const id = { operation_id: run.random.uuid() };
        const [order, other] = [await parties.offer('customer', 4, id), await parties.offer('customer')];
        const cancel = (one: Order) => compareAnswer(one.post(['cancel', 'customer'], id), '409 idempotency_conflict');
        return await combineBehaviours({ 'another command': cancel(order), 'another order': cancel(other) });
      },
    ),
  ]),
];

/** Uses the current tokens of the agents, because a check has rotated one of them. */
async function currentExpiredOffer(run: Run): Promise<Order> {
  return (await expiredOffer(run)).between(await orderParties(run));
}

function observeEntry(first: unknown): ObservedBehaviour {
  if (!isObject(first)) return { observed: 'empty at the beginning', matchesDecision: false };
  const names = ['action', 'created_at', 'participant_id', 'reason', 'state', 'version'];
  const { observed, matchesDecision } = compareMemberNames(first, names);
  return {
    observed: `${observed}; first ${listStrings(first)[0]?.text}`,
    matchesDecision: matchesDecision && first['action'] === 'create',
  };
}
