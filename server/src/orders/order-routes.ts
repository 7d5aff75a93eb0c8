import * as api from '@agent-platform/contract';
import type { Caller } from '../identity/tokens/token-queries.ts';
import { makeReply, type OperationMounter } from '../platform/http/mount.ts';
import { quotePrice } from './order.ts';
import * as commands from './order-commands.ts';
import * as queries from './order-queries.ts';
import { findOrderFiles, type OrderDependencies } from './order-record-commands.ts';
import { showHistoryEntry, showOrder, showOrderPage } from './order-view.ts';

export function mountOrders(mount: OperationMounter<Caller>, parts: OrderDependencies): void {
  const { store, files, feeBps } = parts;

  mount(api.quoteOrder, async ({ body }) => makeReply(200, { quote: quotePrice(body.amount_minor, feeBps) }));

  mount(api.listOrders, async ({ caller, query }) => {
    const agentId = caller.agent.id;
    const found = await store.share.readPage(agentId, query, () => queries.listOrders(store, agentId, query));
    const ids = found.items.filter(({ file_count }) => file_count > 0).map(({ id }) => id);
    const sets = await store.read((reader) => files.findOfOrders(reader, ids, caller.agent.id));
    return makeReply(200, showOrderPage(found, sets, query));
  });

  mount(api.createOrder, async ({ caller, body }) => {
    const { order, isRepeat } = await commands.createOrder(parts, caller.agent, body);
    return makeReply(isRepeat ? 200 : 201, { order });
  });

  mount(api.readOrder, async ({ caller, params }) => {
    const order = await queries.findOrder(store, params.order_id, caller.agent.id);
    const events = await store.run(queries.orderHistoryStatement, [order.id, order.version]);
    const sets = await findOrderFiles(parts, order, caller.agent.id);
    return makeReply(200, { order: showOrder(order, sets), events: events.map(showHistoryEntry) });
  });

  const act = async (
    { caller, params }: { caller: Caller; params: { order_id: string } },
    sent: commands.ActionWithBody,
  ) => {
    const command = { agent: caller.agent, orderId: params.order_id, ...sent };
    const { order } = await commands.actOnOrder(parts, command);
    return makeReply(200, { order });
  };
  mount(api.acceptOrder, (call) => act(call, { action: 'accept', body: call.body }));
  mount(api.startOrder, (call) => act(call, { action: 'start', body: call.body }));
  mount(api.deliverOrder, (call) => act(call, { action: 'deliver', body: call.body }));
  mount(api.completeOrder, (call) => act(call, { action: 'complete', body: call.body }));
  mount(api.cancelOrder, (call) => act(call, { action: 'cancel', body: call.body }));
  mount(api.rejectOrder, (call) => act(call, { action: 'reject', body: call.body }));
  mount(api.disputeOrder, (call) => act(call, { action: 'dispute', body: call.body }));
  mount(api.proposeRefund, (call) => act(call, { action: 'propose-refund', body: call.body }));
  mount(api.approveRefund, (call) => act(call, { action: 'approve-refund', body: call.body }));
}
