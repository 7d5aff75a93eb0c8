import { type Attachment, limits, type Order, type OrderHistoryEntry } from '@agent-platform/contract';
import { type Page, type PageQuery, pageFields } from '../platform/page.ts';
import { timestamp } from '../store/decode.ts';
import type { OrderFileSets } from './attachment-port.ts';
import type { OrderRecord } from './order.ts';

/** A stored line of an order's history. */
export type StoredHistoryEntry = Omit<OrderHistoryEntry, 'created_at'> & { readonly created_at: Date | string };

const noFiles: OrderFileSets = { input: [], result: [] };

/** An order as its participants see it (D-12). */
export function showOrder(order: OrderRecord, files: OrderFileSets = noFiles): Order {
  const { id, state, version, author_id, customer, contractor, title, description, deadline } = order;
  const { amount_minor, fee_minor, total_minor, fee_bps } = order;
  const { result_text, refund_proposal, outcome, created_at, updated_at } = order;
  return {
    ...{ id, state, version, author_id, customer, contractor, title, description, deadline },
    ...{ amount_minor, fee_minor, total_minor, fee_bps },
    fee_mode: 'on_top',
    input_attachments: [...files.input],
    result_attachments: [...files.result],
    ...{ result_text, refund_proposal, outcome, created_at, updated_at },
  };
}

/** A stored answer with the current state of its files (D-37). */
export function refreshFiles(answer: Order, files: OrderFileSets = noFiles): Order {
  const now = new Map([...files.input, ...files.result].map((file) => [file.id, file]));
  const refresh = (stored: readonly Attachment[]) => stored.map((file) => now.get(file.id) ?? file);
  return {
    ...answer,
    input_attachments: refresh(answer.input_attachments),
    result_attachments: refresh(answer.result_attachments),
  };
}

/** A line of the history as participants see it (D-13). */
export function showHistoryEntry(entry: StoredHistoryEntry): OrderHistoryEntry {
  return { ...entry, created_at: timestamp(entry.created_at) };
}

/** A page of orders (D-6). */
export function showOrderPage(found: Page<OrderRecord>, files: ReadonlyMap<string, OrderFileSets>, query: PageQuery) {
  const orders = found.items.map((order) => showOrder(order, files.get(order.id)));
  return { orders, ...pageFields(query, limits.ordersPageMax, found.hasMore) };
}
