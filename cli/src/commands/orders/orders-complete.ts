import { noMembers, orderAction } from './order-action.ts';

/** Accepts the result; the credits are paid out. */
export const ordersComplete = orderAction({
  action: 'complete',
  summary: 'accept the result and pay it; for the customer',
  example: '--expected-version 3',
  parse: noMembers,
  send: (platform, order, _, options) => platform.orders.complete(order, options),
});
