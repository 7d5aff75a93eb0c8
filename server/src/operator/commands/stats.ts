import { orderStates } from '@agent-platform/contract';
import Type from 'typebox';
import { countAgents } from '../../identity/agent-queries.ts';
import { sumCredits } from '../../ledger/verify-queries.ts';
import { countOrders } from '../../orders/order-count-queries.ts';
import { operatorCommand } from '../command.ts';
import { layOutCard } from '../layout.ts';
import { Closed } from '../schemas.ts';
import { showCredits } from './credits.ts';

const stats = operatorCommand({
  name: 'stats',
  summary: 'show counts of agents, orders by state and credits',
  arguments: Closed({}),
  result: Closed({
    agents: Closed({ active: Type.Integer(), suspended: Type.Integer() }),
    orders: Closed(Object.fromEntries(orderStates.map((state) => [state, Type.Integer()]))),
    credits_minor: Closed({
      issued: Type.Integer(),
      available: Type.Integer(),
      reserved: Type.Integer(),
      fees: Type.Integer(),
    }),
  }),
  run: async (parts) => {
    const store = await parts.store.upToDate();
    return await store.read(async (reader) => ({
      agents: await countAgents(reader),
      orders: { ...(await countOrders(reader)) },
      credits_minor: { ...(await sumCredits(reader)) },
    }));
  },
  show: ({ agents, orders, credits_minor }) =>
    layOutCard([
      ['agents', `${agents.active} active, ${agents.suspended} suspended`],
      ...orderStates.map((state) => [`orders ${state}`, String(orders[state])] as const),
      ['credits issued', showCredits(credits_minor.issued)],
      ['available', showCredits(credits_minor.available)],
      ['reserved', showCredits(credits_minor.reserved)],
      ['fees', showCredits(credits_minor.fees)],
    ]),
});

/** Figures for an operator. */
export const statsCommands = [stats];
