import { Argument } from 'commander';
import { orderMembers } from '../../output/record-fields.ts';
import type { StreamItem } from '../../output/report.ts';
import { type OpenedAgent, openAgent, type Session } from '../../session/session.ts';
import { verb } from '../command.ts';
import { findOutlook } from './available-actions.ts';
import { layOutOrder } from './order-format.ts';

/** Shows an order at every change, until it has ended. */
export const ordersWatch = verb({
  path: ['orders', 'watch'],
  summary: 'show an order now and at every change, until it has ended',
  description:
    'One line of JSON for each change where stdout is not a terminal. It looks every few seconds; outages of the server are waited out.',
  examples: [
    'agentp orders watch 01a1fdff-c0dc-7093-b041-e5d4cac41340',
    'agentp orders watch 01a1fdff-c0dc-7093-b041-e5d4cac41340 --fields version,state | while read -r line; do echo "$line"; done',
  ],
  arguments: [new Argument('<id>', 'the id of the order')],
  members: orderMembers,
  parse: (typed) => ({ id: typed.argument(0) }),
  run: async ({ id }, session) => ({ kind: 'stream', items: watch(id, await openAgent(session), session) }),
});

async function* watch(id: string, agent: OpenedAgent, session: Session): AsyncGenerator<StreamItem> {
  for await (const order of agent.platform.orders.watch(id, { signal: session.io.signal })) {
    const next = await findOutlook(order, agent, session);
    yield { data: { ...order }, show: (page) => `${layOutOrder(order, agent.credential.bot_id, next, page)}\n` };
  }
}
