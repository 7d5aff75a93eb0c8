import { type Check, given } from '../../context/check.ts';
import { startLifecycle } from './order-lifecycle.ts';
import { orderSteps, type Role } from './order-steps.ts';
import { byContractor, byCustomer, orderParties, refundTurns, type Turn } from './ordering.ts';

interface Story extends Pick<Check, 'id' | 'rule' | 'covers'> {
  readonly author: Role;
  readonly amountMinor: number;
  readonly turns: readonly Turn[];
  /** The states in which refusals are checked, and their number. */
  readonly refusals: Readonly<Record<string, number>>;
}

const common = ['AP-ORDER-032', 'AP-ORDER-050', 'AP-ORDER-052', 'AP-ORDER-070', 'AP-ORDER-071'];
const toRefund = ['AP-ORDER-047', 'AP-ORDER-048', 'AP-ORDER-056', 'AP-ORDER-057'];
const [start, deliver] = [byContractor('start'), byContractor('deliver')];
const refundByCustomer: readonly Turn[] = [byCustomer('propose-refund'), byContractor('approve-refund')];

// Every way into a dispute that the longer lifecycles omit.
const waysToRefund: Readonly<Record<string, readonly Turn[]>> = {
  'refund-before-work': refundByCustomer,
  'refund-in-progress': [start, ...refundTurns],
  'refund-after-delivery': [start, deliver, ...refundByCustomer],
  'dispute-in-progress': [start, ['dispute', 'customer'], ...refundTurns],
  'dispute-after-delivery': [start, deliver, ['dispute', 'contractor'], ...refundTurns],
};

/** Orders from their offer to each of their ends. */
export const orderLifecycleChecks: readonly Check[] = [
  lifecycleCheck({
    id: 'orders.lifecycle-to-payment',
    rule: 'An accepted, started, delivered and completed order pays contractor and platform from its reserve; no other action works.',
    covers: [
      ...common,
      ...['AP-ORDER-040', 'AP-ORDER-043', 'AP-ORDER-044', 'AP-ORDER-045', 'AP-ORDER-049', 'AP-ORDER-054'],
      ...['AP-ORDER-055', 'AP-ORDER-059', 'AP-WALLET-003', 'AP-WALLET-014'],
    ],
    author: 'customer',
    amountMinor: 15,
    turns: [['accept', 'contractor'], start, deliver, ['complete', 'customer']],
    refusals: { offered: 12, funded: 8, in_progress: 8, delivered: 8, closed: 12 },
  }),
  lifecycleCheck({
    id: 'orders.lifecycle-to-refund',
    rule: 'A disputed order keeps its reserve until the other party approves the refund, which returns the whole price.',
    covers: [
      ...[...common, ...toRefund, 'AP-ORDER-040', 'AP-ORDER-046', 'AP-ORDER-049', 'AP-ORDER-051', 'AP-ORDER-054'],
      ...['AP-ORDER-059', 'AP-WALLET-014'],
    ],
    author: 'contractor',
    amountMinor: 5,
    turns: [['accept', 'customer'], ['dispute', 'contractor'], ...refundByCustomer],
    refusals: { offered: 12, disputed: 21, closed: 11 },
  }),
  ...(['cancel', 'reject'] as const).map((action) =>
    lifecycleCheck({
      id: action === 'cancel' ? 'orders.lifecycle-to-cancellation' : 'orders.lifecycle-to-rejection',
      rule: `An offer that is ${action === 'cancel' ? 'cancelled' : 'rejected'} has ended, and nothing was reserved.`,
      covers: [...common, 'AP-ORDER-058', action === 'cancel' ? 'AP-ORDER-041' : 'AP-ORDER-042'],
      author: action === 'cancel' ? 'contractor' : 'customer',
      amountMinor: 4,
      turns: [[action, 'contractor']],
      refusals: { cancelled: 12, rejected: 12 },
    }),
  ),
  ...Object.entries(waysToRefund).map(([id, turns]) =>
    lifecycleCheck({
      id: `orders.${id}`,
      rule: `On the way ${id.replaceAll('-', ' ')} the order is disputed with its reserve until the other party approves the refund.`,
      covers: [...toRefund, ...(id.startsWith('dispute') ? ['AP-ORDER-046'] : [])],
      ...{ author: 'customer', amountMinor: 4, turns: [['accept', 'contractor'], ...turns], refusals: {} },
    }),
  ),
];

function lifecycleCheck({ id, rule, covers, author, amountMinor, turns, refusals }: Story): Check {
  const isRepeated = covers.includes('AP-ORDER-070');
  const states = ['offered', ...new Set(turns.map(([action]) => orderSteps[action].to))];
  const refused = states.reduce((sum, state) => sum + (refusals[state] ?? 0), 0);
  const hasReserve = turns.some(([action]) => action === 'accept');
  return given(orderParties, {
    ...{ id, rule, covers },
    cost: { writes: (isRepeated ? 2 : 1) * (1 + turns.length) + refused, creditsMinor: hasReserve ? 100 : 0 },
    async judge(parties) {
      if (hasReserve) await parties.fund(amountMinor);
      const order = await startLifecycle(parties, author, amountMinor);
      if ('offered' in refusals) await order.expectRefusals();
      for (const [action, role] of turns) {
        await order.step(action, role);
        if (orderSteps[action].to in refusals) await order.expectRefusals();
      }
      if (isRepeated) await order.repeatAll();
      await order.end();
    },
  });
}
