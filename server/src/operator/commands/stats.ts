import { orderStates } from '@agent-platform/contract';
import { countAgents } from '../../identity/agent-queries.ts';
import { sumCredits } from '../../ledger/ledger-check-queries.ts';
import { countOrders } from '../../orders/order-queries.ts';
import { operatorCommand } from '../command.ts';
import { formatCard } from '../format.ts';
import { describeTotals } from './credits.ts';

/** Shows figures. */
export const stats = operatorCommand({
  name: 'stats',
  summary: 'show counts of agents, orders by state and credits',
  run: async (parts) => {
    const store = await parts.store.upToDate();
    return await store.read(async (reader) => ({
      agents: await countAgents(reader),
      orders: await countOrders(reader),
      credits_minor: await sumCredits(reader),
    }));
  },
  format: ({ agents, orders, credits_minor }) =>
    formatCard([
      ['agents', `${agents.active} active, ${agents.suspended} suspended`],
      ...orderStates.map((state) => [`orders ${state}`, String(orders[state])] as const),
      ...describeTotals(credits_minor, 'credits issued'),
    ]),
});
