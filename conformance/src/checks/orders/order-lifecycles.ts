import type { Check } from '../../context/check.ts';
import { ensureCredits } from '../../fixtures/contacts/leases.ts';
import { startLifecycle } from '../../fixtures/orders/order-lifecycle.ts';
import { type OrderAction, orderSteps, type Role } from '../../fixtures/orders/order-steps.ts';
import { orderParties, priceOf } from '../../fixtures/orders/ordering.ts';

type Turn = readonly [action: OrderAction, role: Role];

interface Story {
  readonly id: string;
  readonly rule: string;
  readonly covers: readonly string[];
  readonly author: Role;
  readonly amountMinor: number;
  readonly turns: readonly Turn[];
  /** The states in which whatever must be refused is asked for, and how often that is. */
  readonly asks: Readonly<Record<string, number>>;
}

const common = ['AP-ORDER-032', 'AP-ORDER-050', 'AP-ORDER-052', 'AP-ORDER-070', 'AP-ORDER-071'];
const toRefund = ['AP-ORDER-047', 'AP-ORDER-048', 'AP-ORDER-056', 'AP-ORDER-057'];

// Every way into a dispute that the walks do not take.
const endings: readonly { readonly id: string; readonly turns: readonly Turn[] }[] = [
  {
    id: 'refund-before-work',
    turns: [
      ['propose-refund', 'customer'],
      ['approve-refund', 'contractor'],
    ],
  },
  {
    id: 'refund-in-progress',
    turns: [
      ['start', 'contractor'],
      ['propose-refund', 'contractor'],
      ['approve-refund', 'customer'],
    ],
  },
  {
    id: 'refund-after-delivery',
    turns: [
      ['start', 'contractor'],
      ['deliver', 'contractor'],
      ['propose-refund', 'customer'],
      ['approve-refund', 'contractor'],
    ],
  },
  {
    id: 'dispute-in-progress',
    turns: [
      ['start', 'contractor'],
      ['dispute', 'customer'],
      ['propose-refund', 'contractor'],
      ['approve-refund', 'customer'],
    ],
  },
  {
    id: 'dispute-after-delivery',
    turns: [
      ['start', 'contractor'],
      ['deliver', 'contractor'],
      ['dispute', 'contractor'],
      ['propose-refund', 'contractor'],
      ['approve-refund', 'customer'],
    ],
  },
];

/** Orders from the offer to each of their ends. */
export const orderLifecycleChecks: readonly Check[] = [
  lifecycleCheck({
    id: 'orders.walk-to-payment',
    rule: 'An offer that is accepted, started, delivered and completed pays contractor and platform from the reserve, and all other actions are refused on the way.',
    covers: [
      ...common,
      ...['AP-ORDER-040', 'AP-ORDER-043', 'AP-ORDER-044', 'AP-ORDER-045', 'AP-ORDER-049', 'AP-ORDER-054'],
      ...['AP-ORDER-055', 'AP-ORDER-059', 'AP-WALLET-003', 'AP-WALLET-014'],
    ],
    author: 'customer',
    amountMinor: 15,
    turns: [
      ['accept', 'contractor'],
      ['start', 'contractor'],
      ['deliver', 'contractor'],
      ['complete', 'customer'],
    ],
    asks: { offered: 12, funded: 8, in_progress: 8, delivered: 8, closed: 12 },
  }),
  lifecycleCheck({
    id: 'orders.walk-to-refund',
    rule: 'A disputed order keeps its reserve until the other participant approves the refund, which returns the total.',
    covers: [
      ...common,
      ...toRefund,
      'AP-ORDER-040',
      'AP-ORDER-046',
      'AP-ORDER-049',
      'AP-ORDER-051',
      'AP-ORDER-054',
      'AP-ORDER-059',
      'AP-WALLET-014',
    ],
    author: 'contractor',
    amountMinor: 5,
    turns: [
      ['accept', 'customer'],
      ['dispute', 'contractor'],
      ['propose-refund', 'customer'],
      ['approve-refund', 'contractor'],
    ],
    asks: { offered: 12, disputed: 21, closed: 11 },
  }),
  ...(['cancel', 'reject'] as const).map((action) =>
    lifecycleCheck({
      id: action === 'cancel' ? 'orders.walk-to-cancellation' : 'orders.walk-to-rejection',
      rule: `An offer that is ${action === 'cancel' ? 'cancelled' : 'rejected'} is final, and nothing was reserved.`,
      covers: [...common, 'AP-ORDER-058', action === 'cancel' ? 'AP-ORDER-041' : 'AP-ORDER-042'],
      author: action === 'cancel' ? 'contractor' : 'customer',
      amountMinor: 4,
      turns: [[action, 'contractor']],
      asks: { cancelled: 12, rejected: 12 },
    }),
  ),
  ...endings.map(({ id, turns }) =>
    lifecycleCheck({
      id: `orders.${id}`,
      rule: `Where ${id.replaceAll('-', ' ')} the order is disputed and keeps its reserve until the other participant approves the refund.`,
      covers: [...toRefund, ...(id.startsWith('dispute') ? ['AP-ORDER-046'] : [])],
      ...{ author: 'customer', amountMinor: 4, turns: [['accept', 'contractor'], ...turns], asks: {} },
    }),
  ),
];

function lifecycleCheck({ id, rule, covers, author, amountMinor, turns, asks }: Story): Check {
  const isRepeated = covers.includes('AP-ORDER-070');
  const visited = ['offered', ...new Set(turns.map(([action]) => orderSteps[action].to))];
  const refused = visited.reduce((sum, state) => sum + (asks[state] ?? 0), 0);
  const creditsMinor = turns.some(([action]) => action === 'accept') ? 100 : 0;
  return {
    ...{ id, rule, covers },
    cost: { writes: (isRepeated ? 2 : 1) * (1 + turns.length) + refused, creditsMinor },
    ...(creditsMinor > 0 ? { needs: ['credits'] } : {}),
    async judge(run) {
      const market = await orderParties(run);
      if (creditsMinor > 0) await ensureCredits(run, market.customer, priceOf(amountMinor, market.feeBps).totalMinor);
      const order = await startLifecycle(run, market, author, amountMinor);
      const ask = async (state: string) => {
        if (state in asks) await order.expectRefusals();
      };
      await ask('offered');
      for (const [action, role] of turns) {
        await order.step(action, role);
        await ask(orderSteps[action].to);
      }
      if (isRepeated) await order.repeatAll();
      await order.end();
    },
  };
}
