import { noMembers, orderAction } from './order-action.ts';

/** Begins the work on a funded order. */
export const ordersStart = orderAction({
  action: 'start',
  summary: 'begin the work; for the contractor of a funded order',
  example: '--expected-version 3',
  parse: noMembers,
  send: (platform, order, _, options) => platform.orders.start(order, options),
});
