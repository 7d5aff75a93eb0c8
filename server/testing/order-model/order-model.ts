// A small model of orders in memory, written from the specification and not
// from our own rules: what the server does is compared with it, step by step.

/** An order as the model knows it. */
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

/** A creation as it is sent. */
interface ModelCreation {
  readonly kind: 'create';
  readonly agent: string;
  readonly counterpart: string;
  readonly asCustomer: boolean;
  readonly amount: number;
  readonly confirmed: number | undefined;
  readonly deadlineMs: number;
}

/** An action as it is sent. */
interface ModelAction {
  readonly kind: 'act';
  readonly agent: string;
  readonly orderId: string;
  readonly action: string;
  readonly version: number;
  readonly confirmed: number | undefined;
}

export type ModelCommand = ModelCreation | ModelAction;

/** What the model expects: a refusal, or what is seen of the order afterwards. */
export type Expected =
  | { readonly code: string }
  | { readonly state: string; readonly version: number; readonly outcome: string | null };

/** Wallets, friendships and orders in memory. */
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

  /** Half up, for the amounts of the model, whose products are exact. */
  static feeOf(amount: number): number {
    return Math.floor(amount / 10 + 0.5);
  }

  /** Decides a creation; `accepted` then takes the id that the server gave. */
  create(command: ModelCreation, nowMs: number): { readonly code: string } | ((id: string) => Expected) {
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

  act(command: ModelAction, nowMs: number): Expected {
    const order = this.orders.get(command.orderId);
    const { agent, action } = command;
    if (order === undefined || (agent !== order.customer && agent !== order.contractor)) return { code: 'not_found' };
    const code =
      this.#wrongActor(order, agent, action) ??
      (command.version === order.version ? undefined : 'version_conflict') ??
      (this.#takes(order.state, action) ? undefined : 'state_conflict') ??
      this.#wrongRest(order, command, nowMs);
    if (code !== undefined) return { code };
    this.#apply(order, agent, action);
    order.version += 1;
    return { state: order.state, version: order.version, outcome: order.outcome };
  }

  #wrongActor(order: ModelOrder, agent: string, action: string): string | undefined {
    if (action === 'accept' || action === 'reject') return agent === order.author ? 'counterparty_required' : undefined;
    if (action === 'cancel') return agent === order.author ? undefined : 'forbidden';
    if (action === 'start' || action === 'deliver') return agent === order.contractor ? undefined : 'forbidden';
    if (action === 'complete') return agent === order.customer ? undefined : 'forbidden';
    if (action === 'approve-refund') return agent === order.proposedBy ? 'counterparty_required' : undefined;
    return undefined;
  }

  #takes(state: string, action: string): boolean {
    const needed: Readonly<Record<string, string>> = {
      accept: 'offered',
      reject: 'offered',
      cancel: 'offered',
      start: 'funded',
      deliver: 'in_progress',
      complete: 'delivered',
      dispute: 'funded in_progress delivered',
      'propose-refund': 'funded in_progress delivered disputed',
      'approve-refund': 'disputed',
    };
    return (needed[action] ?? '').split(' ').includes(state);
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
    switch (action) {
      case 'accept':
        this.#add(this.available, order.customer, -total);
        this.#add(this.reserved, order.customer, total);
        order.state = 'funded';
        break;
      case 'cancel':
        order.state = 'cancelled';
        break;
      case 'reject':
        order.state = 'rejected';
        break;
      case 'start':
        order.state = 'in_progress';
        break;
      case 'deliver':
        order.state = 'delivered';
        break;
      case 'complete':
        this.#add(this.reserved, order.customer, -total);
        this.#add(this.available, order.contractor, order.amount);
        this.fees += order.fee;
        order.state = 'closed';
        order.outcome = 'accepted';
        break;
      case 'propose-refund':
        order.proposedBy = agent;
        order.state = 'disputed';
        break;
      case 'dispute':
        order.state = 'disputed';
        break;
      default:
        this.#add(this.reserved, order.customer, -total);
        this.#add(this.available, order.customer, total);
        order.state = 'closed';
        order.outcome = 'refunded';
    }
  }

  #add(accounts: Map<string, number>, agent: string, delta: number): void {
    accounts.set(agent, (accounts.get(agent) ?? 0) + delta);
  }
}
