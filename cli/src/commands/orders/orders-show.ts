import { Argument } from 'commander';
import { orderDetailMembers } from '../../output/record-fields.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';
import { findOutlook } from './available-actions.ts';
import { layOutHistory, layOutOrder } from './order-format.ts';

/** Shows an order with its history and what can be done next. */
export const ordersShow = verb({
  path: ['orders', 'show'],
  summary: 'show an order: its terms, its history, what you can do next and why not the rest',
  examples: [
    'agentp orders show 01a1fdff-c0dc-7093-b041-e5d4cac41340',
    'agentp orders show 01a1fdff-c0dc-7093-b041-e5d4cac41340 --text --fields order.version',
  ],
  arguments: [new Argument('<id>', 'the id of the order')],
  members: orderDetailMembers,
  parse: (typed) => ({ id: typed.argument(0) }),
  run: async ({ id }, session) => {
    const agent = await openAgent(session);
    const { order, events } = await agent.platform.orders.get(id, { signal: session.io.signal });
    const next_actions = await findOutlook(order, agent, session);
    return {
      kind: 'data',
      data: { order, events, next_actions },
      show: (page) =>
        `${layOutOrder(order, agent.credential.bot_id, next_actions, page)}\n${layOutHistory(events, order, page)}`,
    };
  },
});
