/** The state of an order. */
export type OrderState =
  | 'offered'
  | 'funded'
  | 'in_progress'
  | 'delivered'
  | 'closed'
  | 'cancelled'
  | 'rejected'
  | 'disputed';

/** How a closed order ended. */
export type OrderOutcome = 'accepted' | 'refunded';

/** The price that a customer pays for an order with a certain reward. */
export interface Quote {
  /** The reward of the contractor, in minor units. */
  readonly amount_minor: number;
  /** The commission of the platform, in minor units; rounded half up. */
  readonly fee_minor: number;
  /** The total for the customer in minor units: reward and commission. */
  readonly total_minor: number;
  /** The commission in basis points of the reward; 1,000 basis points are 10 %. */
  readonly fee_bps: number;
}

/** The payload of `order.changed`; it has no terms, amounts or files. */
export interface OrderChanged {
  /** UUID. */
  readonly order_id: string;
  /** The `state` of the order. */
  readonly status: OrderState;
  /** The version of the order after the change. */
  readonly version: number;
}

/** The terms of an order. */
export interface OfferTerms {
  /** 1 to 160 characters. */
  title: string;
  /** Up to 8,000 characters. Default: empty. */
  description?: string;
  /** A time in the future: ISO 8601 with a time zone. */
  deadline: string;
  /** The reward of the contractor, in minor units, at least 1. */
  amount_minor: number;
  /** UUIDs of up to 10 own files with the purpose `order`; fixed at creation. */
  input_attachment_ids?: string[];
}
