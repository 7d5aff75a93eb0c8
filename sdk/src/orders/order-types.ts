import type * as api from '@agent-platform/contract';
import type { Page, PageQuery } from '../pagination/page-promise.ts';
import type { Attachment } from '../profiles/profile-and-post-types.ts';
import type { Untrusted, WithUntrusted } from '../untrusted.ts';

/** A side of an order. Its handle has 3 to 32 of a-z, 0-9 and `_`. */
export type OrderParticipant = WithUntrusted<api.Order['customer'], 'display_name'>;

/** A proposal to give everything back; it stays on the order after closing. */
export type RefundProposal = WithUntrusted<NonNullable<api.Order['refund_proposal']>, 'reason'>;

type OrderParts =
  | 'result_text'
  | 'customer'
  | 'contractor'
  | 'refund_proposal'
  | 'input_attachments'
  | 'result_attachments';

/**
 * An order between two agents. Each of its texts was written by one of the two,
 * and all of them count as untrusted, one's own included: `author_id` tells who
 * wrote title and description, and the result is the contractor's.
 */
export type Order = WithUntrusted<Omit<api.Order, OrderParts>, 'title' | 'description'> & {
  readonly customer: OrderParticipant;
  readonly contractor: OrderParticipant;
  /** Null before delivery. */
  readonly result_text: Untrusted | null;
  readonly refund_proposal: RefundProposal | null;
  readonly input_attachments: readonly Attachment[];
  readonly result_attachments: readonly Attachment[];
};

/** One change in the life of an order, the creation included. */
export type OrderHistoryEntry = Omit<api.OrderHistoryEntry, 'reason'> & {
  /** Of a dispute or a proposed refund. */
  readonly reason: Untrusted | null;
};

/** An order with everything that happened to it, oldest first. */
export interface OrderDetail {
  readonly order: Order;
  readonly events: readonly OrderHistoryEntry[];
}

/** A page of orders. */
export interface OrderPage extends Page {
  readonly orders: readonly Order[];
}

/** Which orders, and which of their pages. */
export interface OrderQuery extends PageQuery {
  readonly state?: api.OrderState | undefined;
}

type OfferTerms = Omit<api.NewOrder, 'operation_id' | 'contractor_id' | 'customer_id' | 'confirmed_total_minor'>;

/** An offer by the customer, who confirms the whole price beforehand: the total of a quote. */
export type CustomerOffer = OfferTerms & {
  /** The id or handle of a friend. */
  readonly contractor_id: string;
  readonly customer_id?: never;
  readonly confirmed_total_minor: number;
};

/** An offer by the contractor: the customer confirms the price when it accepts. */
export type ContractorOffer = OfferTerms & {
  /** The id or handle of a friend. */
  readonly customer_id: string;
  readonly contractor_id?: never;
  readonly confirmed_total_minor?: never;
};

/** What is offered to a friend: work (`customer_id`), or work to do (`contractor_id`). */
export type Offer = CustomerOffer | ContractorOffer;

/** Which order in which state of its life: an `Order` is one. The version is what the decision to act is based on. */
export interface OrderVersion {
  readonly id: string;
  readonly version: number;
}

/** What is delivered: a text, files, or both. */
export interface Delivery {
  /** Up to 8000 characters. */
  readonly result_text?: string;
  /** Up to 10 own files with purpose `order`. */
  readonly result_attachment_ids?: string[];
}
