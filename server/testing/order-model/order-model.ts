// A small in-memory model of orders, based on the specification and not on the server's code. Tests compare the server
// with it step by step.

interface ModelOrder {
  readonly id: string;
  readonly author: string;
  readonly customer: string;
  readonly contractor: string;
  readonly amount: number;
  readonly fee: number;
  readonly deadlineMs: number;
  state: string;
  version: number;
  outcome: string | null;
  proposedBy: string | null;
}

interface ModelCreation {
  readonly kind: 'create';
  readonly agent: string;
  readonly counterpart: string;
  readonly asCustomer: boolean;
  readonly amount: number;
  readonly confirmed: number | undefined;
  readonly deadlineMs: number;
}

interface ModelAction {
  readonly kind: 'act';
  readonly agent: string;
  readonly orderId: string;
  readonly action: string;
  readonly version: number;
  readonly confirmed: number | undefined;
}

export type ModelCommand = ModelCreation | ModelAction;

/** The expected error code, or the visible state of the order after the command. */
export type ExpectedOutcome =
  | { readonly code: string }
  | { readonly state: string; readonly version: number; readonly outcome: string | null };

/** The participant who may perform each action, the states in which it is possible, and the resulting state. */
const actions: Readonly<Record<string, readonly [by: string, from: string, to: string]>> = {
  accept: ['counterparty', 'offered', 'funded'],
  reject: ['counterparty', 'offered', 'rejected'],
  cancel: ['author', 'offered', 'cancelled'],
  start: ['contractor', 'funded', 'in_progress'],
  deliver: ['contractor', 'in_progress', 'delivered'],
  complete: ['customer', 'delivered', 'closed'],
  dispute: ['either', 'funded in_progress delivered', 'disputed'],
  'propose-refund': ['either', 'funded in_progress delivered disputed', 'disputed'],
  'approve-refund': ['either', 'disputed', 'closed'],
};

export class OrderModel {
  readonly available = new Map<string, number>();
  readonly reserved = new Map<string, number>();
  readonly orders = new Map<string, ModelOrder>();
  readonly #friends = new Set<string>();
  fees = 0;
  issued = 0;

  grant(agent: string, amount: number): void {
    this.#add(this.available, agent, amount);
    this.issued += amount;
  }

  befriend(one: string, other: string): void {
    this.#friends.add([one, other].toSorted().join());
  }

  block(one: string, other: string): void {
    this.#friends.delete([one, other].toSorted().join());
  }

  areFriends(one: string, other: string): boolean {
    return this.#friends.has([one, other].toSorted().join());
  }

  /** Rounds half up; exact for the amounts of the model. */
  static feeOf(amount: number): number {
    return Math.floor(amount / 10 + 0.5);
  }

  /** Returns the expected error, or a function that adds the order with the id that the server assigned. */
  create(command: ModelCreation, nowMs: number): { readonly code: string } | ((id: string) => ExpectedOutcome) {
    const { agent, counterpart, asCustomer, amount, confirmed, deadlineMs } = command;
    const fee = OrderModel.feeOf(amount);
    if (asCustomer && confirmed === undefined) return { code: 'invalid_input' };
    if (agent === counterpart) return { code: 'invalid_input' };
    if (!this.areFriends(agent, counterpart)) return { code: 'friendship_required' };
    if (deadlineMs <= nowMs) return { code: 'invalid_input' };
    if (confirmed !== undefined && confirmed !== amount + fee) return { code: 'price_changed' };
    const [customer, contractor] = asCustomer ? [agent, counterpart] : [counterpart, agent];
    return (id) => {
      const order = { id, author: agent, customer, contractor, amount, fee, deadlineMs };
      this.orders.set(id, { ...order, state: 'offered', version: 1, outcome: null, proposedBy: null });
      return { state: 'offered', version: 1, outcome: null };
    };
  }

  act(command: ModelAction, nowMs: number): ExpectedOutcome {
    const order = this.orders.get(command.orderId);
    const { agent, action } = command;
    if (order === undefined || (agent !== order.customer && agent !== order.contractor)) return { code: 'not_found' };
    const [by = '', from = '', to = ''] = actions[action] ?? [];
    const code =
      this.#wrongActor(order, agent, action, by) ??
      (command.version === order.version ? undefined : 'version_conflict') ??
      (from.split(' ').includes(order.state) ? undefined : 'state_conflict') ??
      this.#wrongRest(order, command, nowMs);
    if (code !== undefined) return { code };
    this.#apply(order, agent, action);
    order.state = to;
    order.version += 1;
    return { state: order.state, version: order.version, outcome: order.outcome };
  }

  #wrongActor(order: ModelOrder, agent: string, action: string, by: string): string | undefined {
    if (by === 'counterparty' && agent === order.author) return 'counterparty_required';
    if (action === 'approve-refund' && agent === order.proposedBy) return 'counterparty_required';
    if (by !== 'author' && by !== 'customer' && by !== 'contractor') return undefined;
    return agent === order[by] ? undefined : 'forbidden';
  }

  #wrongRest(order: ModelOrder, { agent, action, confirmed }: ModelAction, nowMs: number): string | undefined {
    if (action === 'propose-refund' && order.proposedBy !== null) return 'refund_proposal_exists';
    if (action === 'approve-refund' && order.proposedBy === null) return 'refund_not_proposed';
    if (action !== 'accept') return undefined;
    const total = order.amount + order.fee;
    if (!this.areFriends(order.customer, order.contractor)) return 'friendship_required';
    if (order.deadlineMs <= nowMs) return 'deadline_passed';
    if (confirmed === undefined) {
      if (agent === order.customer) return 'invalid_input';
    } else if (confirmed !== total) return 'price_changed';
    return (this.available.get(order.customer) ?? 0) < total ? 'insufficient_funds' : undefined;
  }

  #apply(order: ModelOrder, agent: string, action: string): void {
    const total = order.amount + order.fee;
    if (action === 'accept') this.#move(order, -total, total);
    if (action === 'propose-refund') order.proposedBy = agent;
    if (action === 'approve-refund') {
      this.#move(order, total, -total);
      order.outcome = 'refunded';
    }
    if (action === 'complete') {
      this.#move(order, 0, -total);
      this.#add(this.available, order.contractor, order.amount);
      this.fees += order.fee;
      order.outcome = 'accepted';
    }
  }

  #move({ customer }: ModelOrder, available: number, reserved: number): void {
    this.#add(this.available, customer, available);
    this.#add(this.reserved, customer, reserved);
  }

  #add(accounts: Map<string, number>, agent: string, delta: number): void {
    accounts.set(agent, (accounts.get(agent) ?? 0) + delta);
  }
}
