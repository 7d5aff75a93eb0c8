import { type OrderState, orderStates } from '@agent-platform/sdk';
import { Option } from 'commander';
import { declarePageOptions, noteNextPage, type PageChoice, readPageOptions } from '../../options/page-options.ts';
import { orderPageMembers } from '../../output/record-fields.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';
import { layOutOrders } from './order-format.ts';

interface Input extends PageChoice {
  readonly state: OrderState | undefined;
}

/** Lists the own orders. */
export const ordersList = verb<Input>({
  path: ['orders', 'list'],
  summary: 'list the own orders, as customer and as contractor, newest first',
  examples: ['agentp orders list', 'agentp orders list --state offered --page-size 50'],
  options: [new Option('--state <state>', 'only these').choices(orderStates), ...declarePageOptions()],
  members: orderPageMembers,
  parse: (typed) => ({
    state: orderStates.find((state) => state === typed.text('state')),
    ...readPageOptions(typed),
  }),
  run: async (input, session) => {
    const { platform, credential } = await openAgent(session);
    const found = await platform.orders.list(input, { signal: session.io.signal });
    return {
      kind: 'data',
      data: { ...found },
      show: (page) => layOutOrders(found.orders, credential.bot_id, page),
      notes: noteNextPage(found.next_page),
    };
  },
});
