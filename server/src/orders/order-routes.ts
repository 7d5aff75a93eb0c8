import {
  acceptOrder,
  approveRefund,
  cancelOrder,
  completeOrder,
  createOrder,
  deliverOrder,
  disputeOrder,
  listOrders,
  proposeRefund,
  quoteOrder,
  readOrder,
  rejectOrder,
  startOrder,
} from '@agent-platform/contract';
import type { Caller } from '../identity/tokens/token-queries.ts';
import { type Mount, reply } from '../platform/http/mount.ts';
import { Refusal } from '../platform/refusal.ts';
import { findDeliveryFault, type OrderFault, tooExpensive } from './order.ts';
import * as commands from './order-commands.ts';
import type { OrderCommand, OrderParts } from './order-effect-commands.ts';
import * as queries from './order-queries.ts';
import { showHistoryEntry, showOrder, showOrderPage } from './order-view.ts';
import { isWithinBounds, price } from './price.ts';

/** Mounts the orders. */
export function mountOrders(mount: Mount<Caller>, parts: OrderParts): void {
  const { store, files } = parts;

  mount(quoteOrder, async ({ body }) => {
    const quote = price(body.amount_minor, parts.feeBps);
    if (!isWithinBounds(quote)) refuse(tooExpensive(quote));
    return reply(200, { quote });
  });

  mount(listOrders, async ({ caller, query }) => {
    const { found, sets } = await store.read(async (reader) => {
      const orders = await queries.listOrders(reader, caller.agent.id, query);
      const ids = orders.items.filter(({ file_count }) => file_count > 0).map(({ id }) => id);
      return { found: orders, sets: await files.findOfOrders(reader, ids) };
    });
    return reply(200, showOrderPage(found, sets, query));
  });

  mount(createOrder, async ({ caller, body }) => {
    const { order, isRepeat } = await commands.createOrder(parts, caller.agent.id, body);
    return reply(isRepeat ? 200 : 201, { order });
  });

  mount(readOrder, async ({ caller, params }) => {
    const order = await queries.findOrder(store, params.order_id, caller.agent.id);
    const events = await queries.listHistory(store, order.id, order.version);
    const sets =
      order.file_count > 0 ? await store.read((reader) => files.findOfOrders(reader, [order.id])) : undefined;
    return reply(200, { order: showOrder(order, sets?.get(order.id)), events: events.map(showHistoryEntry) });
  });

  const act = async (command: OrderCommand) => {
    const { order } = await commands.actOnOrder(parts, command);
    return reply(200, { order });
  };

  mount(acceptOrder, ({ caller, params, body }) => act({ action: 'accept', ...of(caller, params), body }));
  mount(startOrder, ({ caller, params, body }) => act({ action: 'start', ...of(caller, params), body }));
  mount(deliverOrder, async ({ caller, params, body }) => {
    refuse(findDeliveryFault(body));
    return await act({ action: 'deliver', ...of(caller, params), body });
  });
  mount(completeOrder, ({ caller, params, body }) => act({ action: 'complete', ...of(caller, params), body }));
  mount(cancelOrder, ({ caller, params, body }) => act({ action: 'cancel', ...of(caller, params), body }));
  mount(rejectOrder, ({ caller, params, body }) => act({ action: 'reject', ...of(caller, params), body }));
  mount(disputeOrder, ({ caller, params, body }) => act({ action: 'dispute', ...of(caller, params), body }));
  mount(proposeRefund, ({ caller, params, body }) => act({ action: 'propose-refund', ...of(caller, params), body }));
  mount(approveRefund, ({ caller, params, body }) => act({ action: 'approve-refund', ...of(caller, params), body }));
}

function of({ agent }: Caller, params: { readonly order_id: string }) {
  return { agentId: agent.id, orderId: params.order_id };
}

function refuse(fault: OrderFault | undefined): void {
  if (fault !== undefined) throw new Refusal(fault.code, fault.message);
}
