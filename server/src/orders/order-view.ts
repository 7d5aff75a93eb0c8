import { limits, type Order, type OrderHistoryEntry } from '@agent-platform/contract';
import { type Page, type PageQuery, pageFields } from '../platform/page.ts';
import { formatTimestamp } from '../store/decode.ts';
import type { OrderFileSets } from './attachment-port.ts';
import type { OrderRecord } from './order.ts';

export type StoredHistoryEntry = Omit<OrderHistoryEntry, 'created_at'> & { readonly created_at: Date | string };

const noFiles: OrderFileSets = { input: [], result: [] };

/** Formats an order for its participants (§6.33). */
export function showOrder(order: OrderRecord, files: OrderFileSets = noFiles): Order {
  const { id, state, version, author_id, customer, contractor, title, description, deadline } = order;
  const { amount_minor, fee_minor, total_minor, fee_bps } = order;
  const { result_text, refund_proposal, outcome, created_at, updated_at } = order;
  return {
    id,
    state,
    version,
    author_id,
    customer,
    contractor,
    title,
    description,
    deadline,
    amount_minor,
    fee_minor,
    total_minor,
    fee_bps,
    fee_mode: 'on_top',
    input_attachments: [...files.input],
    result_attachments: [...files.result],
    result_text,
    refund_proposal,
    outcome,
    created_at,
    updated_at,
  };
}

/** The display names of customer and contractor in an earlier response, as stored with its operation. */
export type ParticipantNames = readonly [customer: string, contractor: string];

/** Formats an order as in the response to the last version of this history, but with the current files (§6.63). */
export function showOrderAt(
  order: OrderRecord,
  history: readonly StoredHistoryEntry[],
  [customerName, contractorName]: ParticipantNames,
  files: OrderFileSets = noFiles,
): Order {
  const last = history.at(-1);
  if (last === undefined) throw new Error(`Order ${order.id} has no stored history.`);
  const did = (action: StoredHistoryEntry['action']) => history.some((entry) => entry.action === action);
  const then = {
    ...order,
    customer: { ...order.customer, display_name: customerName },
    contractor: { ...order.contractor, display_name: contractorName },
    state: last.state,
    version: last.version,
    updated_at: formatTimestamp(last.created_at),
    // These members are set once, so an earlier version has the current value or none.
    outcome: last.version === order.version ? order.outcome : null,
    result_text: did('deliver') ? order.result_text : null,
    refund_proposal: did('propose-refund') ? order.refund_proposal : null,
  };
  return showOrder(then, did('deliver') ? files : { ...files, result: [] });
}

/** Formats a history entry for the participants (§6.36). */
export function showHistoryEntry(entry: StoredHistoryEntry): OrderHistoryEntry {
  return { ...entry, created_at: formatTimestamp(entry.created_at) };
}

/** Formats a page of orders (§1.30). */
export function showOrderPage(found: Page<OrderRecord>, files: ReadonlyMap<string, OrderFileSets>, query: PageQuery) {
  const orders = found.items.map((order) => showOrder(order, files.get(order.id)));
  return { orders, ...pageFields(query, limits.ordersPageMax, found.hasMore) };
}
