import { declareReason, readReason } from '../../options/reason-options.ts';
import { orderAction } from './order-action.ts';

/** Disputes an order; the credits stay reserved. */
export const ordersDispute = orderAction({
  action: 'dispute',
  summary: 'dispute an order that is funded; the credits stay reserved',
  description:
    'For either side. No action leads back to work: what remains is that one proposes a refund and the other agrees.',
  example: '--reason "The picture is larger than agreed."',
  options: declareReason(),
  parse: readReason,
  send: (platform, order, { reason }, options) => platform.orders.dispute(order, reason, options),
});
