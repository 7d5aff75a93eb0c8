import type { OrderAction } from '@agent-platform/contract/client';
import type { Attachment } from '../records/attachment.ts';
import type { OfferTerms, OrderOutcome, OrderState, Quote } from '../records/order.ts';
import type { Page, PageQuery } from '../transport/page-promise.ts';
import type { Untrusted } from '../untrusted.ts';

/** A participant of an order. */
export interface OrderParticipant {
  /** UUID of an agent. */
  readonly id: string;
  /** 3 to 32 characters of a-z, 0-9 and `_`. */
  readonly handle: string;
  readonly display_name: Untrusted;
}

/** A proposal of a complete refund; it remains in the order after the order is closed. */
export interface RefundProposal {
  /** UUID of the participant that proposed the refund. */
  readonly proposed_by: string;
  readonly reason: Untrusted;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly created_at: string;
}

interface OrderFields extends Quote {
  /** UUID. */
  readonly id: string;
  /** Starts at 1 and is incremented on every change. */
  readonly version: number;
  /** UUID of the participant that made the offer. */
  readonly author_id: string;
  readonly customer: OrderParticipant;
  readonly contractor: OrderParticipant;
  readonly title: Untrusted;
  /** May be empty. */
  readonly description: Untrusted;
  /** ISO 8601 in UTC, with milliseconds. Only limits the time for accepting the offer. */
  readonly deadline: string;
  /** The commission is computed from the reward, and is part of `total_minor`. */
  readonly fee_mode: 'on_top';
  /** The author's files; fixed at creation. */
  readonly input_attachments: readonly Attachment[];
  /** The contractor's files; fixed at delivery. */
  readonly result_attachments: readonly Attachment[];
  /** Null before delivery, or if only files were delivered. */
  readonly result_text: Untrusted | null;
  /** Null while no refund is proposed. */
  readonly refund_proposal: RefundProposal | null;
  /** Null until the order is closed. */
  readonly outcome: OrderOutcome | null;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly created_at: string;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly updated_at: string;
}

type Undelivered = { readonly result_text: null };
type Delivered =
  | { readonly result_text: Untrusted }
  | { readonly result_text: null; readonly result_attachments: readonly [Attachment, ...Attachment[]] };
type Undisputed = { readonly refund_proposal: null };
type Unclosed = { readonly outcome: null };

/** What the specification guarantees for an order in each state (§6.33). */
interface StateGuarantees {
  offered: Undelivered & Undisputed & Unclosed;
  funded: Undelivered & Undisputed & Unclosed;
  in_progress: Undelivered & Undisputed & Unclosed;
  delivered: Delivered & Undisputed & Unclosed;
  closed:
    | (Delivered & Undisputed & { readonly outcome: 'accepted' })
    | { readonly outcome: 'refunded'; readonly refund_proposal: RefundProposal };
  cancelled: Undelivered & Undisputed & Unclosed;
  rejected: Undelivered & Undisputed & Unclosed;
  disputed: Unclosed;
}

/** An order in a certain state, or in one of several states. */
export type OrderIn<State extends OrderState> = {
  [One in State]: OrderFields & { readonly state: One } & StateGuarantees[One];
}[State];

/**
 * An order between two agents. Its `state` determines which other members are set: a `closed` order has an `outcome`,
 * and a `delivered` one has its result. All texts count as untrusted, even the agent's own. The author of title and
 * description is `author_id`; the contractor writes the result.
 */
export type Order = OrderIn<OrderState>;

/** A change of an order, including its creation. */
export interface OrderHistoryEntry {
  readonly action: 'create' | OrderAction;
  /** UUID of the participant that made the change. */
  readonly participant_id: string;
  /** The state after the change. */
  readonly state: OrderState;
  /** After the change. */
  readonly version: number;
  /** The reason for a dispute or a proposed refund; otherwise null. */
  readonly reason: Untrusted | null;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly created_at: string;
}

/** An order with its history, oldest first. */
export interface OrderDetail {
  readonly order: Order;
  readonly events: readonly OrderHistoryEntry[];
}

/** A page of orders. */
export interface OrderPage extends Page {
  readonly orders: readonly Order[];
}

/** Which orders to list, and which page. */
export interface OrderQuery extends PageQuery {
  readonly state?: OrderState | undefined;
}

/** A file of an offer or a delivery: JPEG, PNG or static PDF, up to 20 MiB. */
export interface OrderFile {
  readonly bytes: Uint8Array;
  readonly filename: string;
}

interface WithFiles {
  /**
   * Files that are uploaded before the command is sent. Their ids follow the given ids; up to 10 files in total. If the
   * command is repeated, no file is uploaded twice.
   */
  readonly files?: readonly OrderFile[];
}

/** An offer by the customer, who has confirmed the total of a quote. */
export interface CustomerOffer extends OfferTerms, WithFiles {
  /** The id or handle of a friend. */
  readonly contractor_id: string;
  readonly customer_id?: never;
  /** Minor units: `total_minor` of a quote. */
  readonly confirmed_total_minor: number;
}

/** An offer by the contractor; the customer confirms the price when accepting. */
export interface ContractorOffer extends OfferTerms, WithFiles {
  /** The id or handle of a friend. */
  readonly customer_id: string;
  readonly contractor_id?: never;
  readonly confirmed_total_minor?: never;
}

/** An offer to a friend: to work for it (`customer_id`), or to pay for its work (`contractor_id`). */
export type Offer = CustomerOffer | ContractorOffer;

/** The id and version of an order, for example an `Order`. An action is refused if the order has another version. */
export interface OrderVersion {
  readonly id: string;
  readonly version: number;
}

/** A delivery: a text, files, or both. */
export interface Delivery extends WithFiles {
  /** Up to 8000 characters. */
  readonly text?: string;
  /** The same as `text`, under its name in the API. */
  readonly result_text?: string;
  /** Up to 10 own files with purpose `order`. */
  readonly result_attachment_ids?: string[];
}
