import { noMembers, orderAction } from './order-action.ts';

/** Agrees to a refund. */
export const ordersApproveRefund = orderAction({
  action: 'approve-refund',
  summary: 'agree to the refund that the other side proposed',
  example: '--expected-version 3',
  parse: noMembers,
  send: (platform, order, _, options) => platform.orders.approveRefund(order, options),
});
