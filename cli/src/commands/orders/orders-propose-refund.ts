import { declareReason, readReason } from '../../options/reason-options.ts';
import { orderAction } from './order-action.ts';

/** Proposes to give the customer everything back. */
export const ordersProposeRefund = orderAction({
  action: 'propose-refund',
  summary: 'propose to give the customer everything back, commission included',
  description: 'For either side, once for each order. The order is disputed from then on; the other side has to agree.',
  example: '--reason "I cannot read the file."',
  options: declareReason(),
  parse: readReason,
  send: (platform, order, { reason }, options) => platform.orders.proposeRefund(order, reason, options),
});
