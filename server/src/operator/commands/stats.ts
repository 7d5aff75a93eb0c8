import { orderStates } from '@agent-platform/contract';
import { countAgents } from '../../identity/agent-queries.ts';
import { sumCredits } from '../../ledger/credit-totals-queries.ts';
import { countOrders } from '../../orders/order-queries.ts';
import { describeTestClock, readTestClock } from '../checks/test-clock.ts';
import { defineOperatorCommand } from '../command.ts';
import { formatCard } from '../format.ts';
import { describeCreditTotals } from './credits.ts';

export const statsCommand = defineOperatorCommand({
  name: 'stats',
  summary: 'show the numbers of agents, orders by state and credits; numbers above 100,000 are estimates',
  run: async (parts) => {
    const store = await parts.store.upToDate();
    const { isEstimate: agentsAreEstimated, ...agents } = await store.read(countAgents);
    const { isEstimate: ordersAreEstimated, byState: orders } = await store.read(countOrders);
    return {
      agents,
      orders,
      test_clock: await readTestClock(store),
      credits_minor: await store.read(sumCredits),
      estimated: [...(agentsAreEstimated ? ['agents'] : []), ...(ordersAreEstimated ? ['orders'] : [])],
    };
  },
  format: ({ agents, orders, credits_minor, estimated, test_clock }) => {
    const about = (name: string) => (estimated.includes(name) ? 'about ' : '');
    return formatCard([
      ['agents', `${about('agents')}${agents.active} active, ${agents.suspended} suspended`],
      ...orderStates.map((state) => [`orders ${state}`, `${about('orders')}${orders[state]}`] as const),
      ...describeCreditTotals(credits_minor, 'credits issued'),
      ...(test_clock === null ? [] : [['clock', describeTestClock(test_clock)] as const]),
    ]);
  },
});
