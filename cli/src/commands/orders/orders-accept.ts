import { declareAmount, readAmount } from '../../options/amounts.ts';
import { confirmTotal } from './confirm-total.ts';
import { orderAction } from './order-action.ts';

/** Accepts an offer; the customer's credits are reserved. */
export const ordersAccept = orderAction<{ readonly confirmed_total_minor?: number }>({
  action: 'accept',
  summary: 'accept an offer; the whole price is reserved',
  description:
    'For the one it was made to. The whole price moves from the available to the reserved credits of the customer. A customer confirms the price with --confirm-total, or is asked on a terminal.',
  example: '--confirm-total 13.75',
  options: declareAmount('confirm-total', 'the whole price that you agree to'),
  parse: (typed) => {
    const confirmed = readAmount(typed, 'confirm-total');
    return async ({ order, me, io }) => {
      const mustConfirm = order.customer.id === me && order.author_id !== me && order.state === 'offered';
      const total = mustConfirm ? await confirmTotal(order, confirmed, io) : confirmed;
      return total === undefined ? {} : { confirmed_total_minor: total };
    };
  },
  send: (platform, order, members, options) => platform.orders.accept(order, members, options),
});
