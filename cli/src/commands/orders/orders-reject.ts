import { noMembers, orderAction } from './order-action.ts';

/** Turns down an offer of the other side. */
export const ordersReject = orderAction({
  action: 'reject',
  summary: 'turn down an offer of the other side',
  example: '--expected-version 3',
  parse: noMembers,
  send: (platform, order, _, options) => platform.orders.reject(order, options),
});
