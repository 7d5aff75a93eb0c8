/** One of the two of an order. */
export type Role = 'customer' | 'contractor';

/** What can be done with an order. */
export type OrderAction =
  | 'accept'
  | 'start'
  | 'deliver'
  | 'complete'
  | 'cancel'
  | 'reject'
  | 'dispute'
  | 'propose-refund'
  | 'approve-refund';

/** A line of "Order states", as the specification has it. */
export interface OrderStep {
  readonly from: readonly string[];
  readonly by: 'author' | 'recipient' | Role | 'participant' | 'approver';
  readonly to: string;
  readonly outcome?: 'accepted' | 'refunded';
  /** What it does with the whole price. */
  readonly credits?: 'reserve' | 'pay' | 'return';
}

const atWork = ['funded', 'in_progress', 'delivered'];

/** The table of "Order states", written out by hand. */
export const orderSteps: Readonly<Record<OrderAction, OrderStep>> = {
  accept: { from: ['offered'], by: 'recipient', to: 'funded', credits: 'reserve' },
  cancel: { from: ['offered'], by: 'author', to: 'cancelled' },
  reject: { from: ['offered'], by: 'recipient', to: 'rejected' },
  start: { from: ['funded'], by: 'contractor', to: 'in_progress' },
  deliver: { from: ['in_progress'], by: 'contractor', to: 'delivered' },
  complete: { from: ['delivered'], by: 'customer', to: 'closed', outcome: 'accepted', credits: 'pay' },
  dispute: { from: atWork, by: 'participant', to: 'disputed' },
  'propose-refund': { from: [...atWork, 'disputed'], by: 'participant', to: 'disputed' },
  'approve-refund': { from: ['disputed'], by: 'approver', to: 'closed', outcome: 'refunded', credits: 'return' },
};

/** Every action, in the order of the table. */
export const orderActions = Object.keys(orderSteps) as readonly OrderAction[];

/** Where an order stands, as far as it decides who may do what. */
export interface Standing {
  readonly state: unknown;
  readonly author: Role;
  /** Who proposed a refund. */
  readonly proposer: Role | undefined;
}

/** A refusal that is right: its code, and its status where that is stated. */
export interface RightRefusal {
  readonly code: string;
  readonly status?: number;
}

/**
 * Every refusal that an action deserves; none where it has to work. Which reason
 * is told first is not stated, so where there are several each of them is right.
 */
export function refusalsOf(action: OrderAction, role: Role, standing: Standing): readonly RightRefusal[] {
  const { from } = orderSteps[action];
  const { state, proposer } = standing;
  return [
    // Which of the two codes a wrong role gets is not stated.
    ...(mayAct(action, role, standing)
      ? []
      : [
          { code: 'forbidden', status: 403 },
          { code: 'counterparty_required', status: 403 },
        ]),
    ...(from.includes(String(state)) ? [] : [{ code: 'state_conflict', status: 409 }]),
    ...(action === 'propose-refund' && proposer !== undefined ? [{ code: 'refund_proposal_exists' }] : []),
    ...(action === 'approve-refund' && proposer === undefined ? [{ code: 'refund_not_proposed' }] : []),
  ];
}

function mayAct(action: OrderAction, role: Role, { author, proposer }: Standing): boolean {
  switch (orderSteps[action].by) {
    case 'author':
      return role === author;
    case 'recipient':
      return role !== author;
    case 'approver':
      return role !== proposer;
    case 'participant':
      return true;
    default:
      return role === orderSteps[action].by;
  }
}
