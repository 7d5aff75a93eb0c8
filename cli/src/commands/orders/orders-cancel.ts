import { noMembers, orderAction } from './order-action.ts';

/** Takes back an own offer. */
export const ordersCancel = orderAction({
  action: 'cancel',
  summary: 'take back an own offer that nobody has accepted',
  example: '--expected-version 3',
  parse: noMembers,
  send: (platform, order, _, options) => platform.orders.cancel(order, options),
});
