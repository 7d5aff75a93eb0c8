import { parseFaults } from '../fault-language.ts';
import { isAbout, jsonReply, type MutableObject, parseJsonObject, tokenOf } from '../faults.ts';
import type { Fault, ProxiedRequest } from '../passing.ts';

export const orderReadingMutants = parseFaults(
  'orders',
  `
answers orders to anybody | access | GET /orders* path:'orders(/.*)?$' <- as-last-caller
lists orders for customers alone | list | = listsForCustomers
lists orders of every state | list-state | GET /orders?* <- query drop state
lists orders of every state to their customers | list-state | = filtersForContractors
lists fifty orders by default | pages | GET /orders* path:'orders([?].*)?$' <- query default page_size 50
accepts 0 as a page of orders | page-bounds | GET /orders?* <- query change page 0 1
shows the files of orders to everybody | input-files result-files | * /attachments/* <- as-author attachment
ignores the files of deliveries | result-files | POST /orders/* path:'/deliver$' <- drop result_attachment_ids & POST /orders/* path:'/deliver$' <- change result_text undefined "-"
gives contractors the preview alone | input-files result-files | * <- path /download$ /preview
`,
  {},
  {
    listsForCustomers: () => listsOrders((_, isCustomer) => isCustomer),
    filtersForContractors: () => ({
      ...listsOrders(
        ({ state }, isCustomer, { path }) => isCustomer || !path.replace(`state=${state}`, '').includes('state='),
      ),
      onRequest: (sent) => ({ ...sent, path: sent.path.replace(/&?state=\w+/, '') }),
    }),
  },
);

/** Removes orders from lists, except those that `keeps` selects; it also receives whether the caller is the customer. */
function listsOrders(keeps: (order: MutableObject, isCustomer: boolean, sent: ProxiedRequest) => boolean): Fault {
  const known = new Map<string | undefined, unknown>();
  return {
    onReply: (passing, sent) => {
      const { order, orders, ...rest } = parseJsonObject(passing.body) ?? {};
      const { author_id: author, customer } = (order ?? {}) as { author_id?: unknown; customer?: { id: unknown } };
      if (isAbout(sent, 'POST /api/v1/orders') && author === customer?.id) known.set(tokenOf(sent), author);
      if (!Array.isArray(orders)) return passing;
      const own = orders.filter((one) => keeps(one, one.customer.id === known.get(tokenOf(sent)), sent));
      return jsonReply(200, { orders: own, ...rest });
    },
  };
}
