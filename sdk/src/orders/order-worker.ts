import type { OrderAction, OrderState } from '@agent-platform/contract';
import { ApiError } from '../errors.ts';
import type { HandlerFailureReporter } from '../handler-failures/handler-failures.ts';
import { handlerBackoffMs } from '../handler-failures/handler-retry.ts';
import { isOutage } from '../handler-failures/outage.ts';
import { makeHandlerPool } from '../handler-pool.ts';
import { isRecord } from '../json.ts';
import { checkHandler, checkOptions, type OptionKinds, optionKinds } from '../known-options.ts';
import { type CallOptions, type TransportSettings, timerMaxMs } from '../transport/call-options.ts';
import { computeBackoffMs } from '../transport/retry.ts';
import { withAnySignal } from '../transport/sleep.ts';
import {
  type ActionSender,
  buildOrderActions,
  type OrderActions,
  type OrderActionsIn,
  type TurnState,
} from './order-actions.ts';
import { OrderAgenda } from './order-agenda.ts';
import type { OrderChangeNotifier } from './order-change-notifier.ts';
import { findTurnActions, getOrderRole, type OrderRole, turnStatesOf } from './order-turn.ts';
import type { Order, OrderIn, OrderVersion } from './order-types.ts';

/** The context of a handler call. */
export interface OrderContext {
  /** The role of this agent in the order. */
  readonly role: OrderRole;
  /** The number of the attempt at this version of the order, from 1. */
  readonly attempt: number;
  /** Aborted when the work ends. */
  readonly signal: AbortSignal;
}

/**
 * Performs the next action on an order. If it resolves without an action, it is called again when the order has
 * changed; if it rejects, after a delay.
 */
export type OrderHandler = (order: Order, actions: OrderActions, context: OrderContext) => unknown;

/** A handler for each state in which an order can wait for this agent. Orders in other states are skipped. */
export type OrderHandlers = {
  readonly [State in TurnState]?: (
    order: OrderIn<State>,
    actions: OrderActionsIn<State>,
    context: OrderContext,
  ) => unknown;
};

const { callback } = optionKinds;
const stateKinds: OptionKinds<OrderHandlers> = {
  offered: callback,
  funded: callback,
  in_progress: callback,
  delivered: callback,
  disputed: callback,
};

/** Combines the handlers of the states into one; `call` is the start of error messages. */
export function combineOrderHandlers(call: string, handler: OrderHandler | OrderHandlers): OrderHandler {
  if (typeof handler === 'function' || !isRecord(handler)) {
    checkHandler(call, handler, 'the order');
    return handler;
  }
  checkOptions<OrderHandlers>(call, handler, stateKinds);
  const byState: { readonly [State in OrderState]?: unknown } = handler;
  return (order, actions, context) => {
    const chosen = byState[order.state];
    return typeof chosen === 'function' ? chosen(order, actions, context) : undefined;
  };
}

/** The options of `orders.work()`, with defaults. */
interface WorkRule {
  readonly role: OrderRole | undefined;
  readonly concurrency: number;
  readonly pollEveryMs: number;
  readonly signal: AbortSignal;
}

interface WorkerDependencies {
  /** The id of this agent. */
  readonly me: string;
  readonly list: (state: OrderState, signal: AbortSignal) => AsyncIterable<Order>;
  readonly read: (orderId: string, signal: AbortSignal) => Promise<Order>;
  /** Resends the commands of an order whose outcome is unknown; returns their number. */
  readonly settle: (orderId: string, signal: AbortSignal) => Promise<number>;
  readonly send: (
    order: OrderVersion,
    action: OrderAction,
    members: object,
    options: CallOptions | undefined,
  ) => Promise<Order>;
  readonly changes: Pick<OrderChangeNotifier, 'isLive' | 'followAll'>;
  readonly failures: HandlerFailureReporter;
  readonly settings: Pick<TransportSettings, 'now' | 'random' | 'sleep'>;
}

// Polls rarely while a stream is open: a change is then only missed if another connection acknowledged its event.
const pollWithStreamEveryMs = 30_000;
const fundsWaitMaxMs = 30_000;
const outageFirstMs = 1_000;
const outageMaxMs = 60_000;

/** Calls a handler for each order that waits for this agent, until the signal aborts. */
export class OrderWorker {
  readonly #parts: WorkerDependencies;
  readonly #rule: WorkRule;
  readonly #handler: OrderHandler;
  readonly #agenda = new OrderAgenda();
  readonly #pool: ReturnType<typeof makeHandlerPool>;
  /** Notifies handlers that the work is ending. */
  readonly #ending = new AbortController();
  #listDueMs = 0;
  #outages = 0;
  #woken = new AbortController();
  /** The number of milliseconds by which delays were shorter than requested. */
  #skippedMs = 0;

  constructor(parts: WorkerDependencies, rule: WorkRule, handler: OrderHandler) {
    this.#parts = parts;
    this.#rule = rule;
    this.#handler = handler;
    this.#pool = makeHandlerPool(rule.concurrency, () => this.#woken.abort());
  }

  /**
   * Resolves when the signal has aborted and all running handlers have ended.
   *
   * @throws ApiError, CredentialError, … the list or an order cannot be read, and a retry would not help
   */
  async run(): Promise<void> {
    const { signal } = this.#rule;
    const unfollow = this.#parts.changes.followAll((changed) => {
      if (changed === undefined) this.#listDueMs = 0;
      else this.#agenda.report(changed, this.#nowMs());
      this.#woken.abort();
    });
    try {
      while (!signal.aborted && !this.#pool.hasFailed()) {
        // Any change after this line ends the wait below.
        this.#woken = new AbortController();
        if (this.#nowMs() >= this.#listDueMs) await this.#list();
        while (this.#pool.hasRoom() && !signal.aborted) {
          const orderId = this.#agenda.start(this.#nowMs());
          if (orderId === undefined) break;
          this.#pool.start(() => this.#handle(orderId));
        }
        await this.#wait();
      }
    } finally {
      unfollow();
      this.#ending.abort();
      await this.#pool.settle();
    }
  }

  async #list(): Promise<void> {
    const { role, pollEveryMs, signal } = this.#rule;
    const { list, settings, changes } = this.#parts;
    const waiting: OrderVersion[] = [];
    // Set before the read, so that a stream that opens during the read can make the list due again.
    this.#listDueMs = Number.POSITIVE_INFINITY;
    let waitMs = changes.isLive() ? Math.max(pollEveryMs, pollWithStreamEveryMs) : pollEveryMs;
    try {
      for (const state of turnStatesOf(role)) {
        for await (const order of list(state, signal)) {
          if (this.#isTurn(order)) waiting.push({ id: order.id, version: order.version });
        }
      }
      // The list starts with the newest order, but the order that has waited longest is handled first.
      this.#agenda.takeList(waiting.reverse(), this.#nowMs());
      this.#outages = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (!isOutage(error)) throw error;
      waitMs = Math.max(pollEveryMs, computeBackoffMs(outageFirstMs, outageMaxMs, this.#outages, settings.random()));
      this.#outages += 1;
    }
    this.#listDueMs = Math.min(this.#listDueMs, this.#nowMs() + waitMs);
  }

  #isTurn(order: Order): boolean {
    const { role } = this.#rule;
    return (role === undefined || getOrderRole(order, this.#parts.me) === role) && this.#possible(order).size > 0;
  }

  #possible(order: Order): ReadonlySet<OrderAction> {
    return findTurnActions(order, this.#parts.me, new Date(this.#parts.settings.now()));
  }

  async #handle(orderId: string): Promise<void> {
    await withAnySignal([this.#rule.signal, this.#ending.signal], (signal) => this.#handleUntil(orderId, signal));
  }

  async #handleUntil(orderId: string, signal: AbortSignal): Promise<void> {
    const order = await this.#read(orderId);
    if (order === undefined) return;
    if (this.#agenda.isHandled(order) || !this.#isTurn(order)) return this.#agenda.rest(order, this.#nowMs());
    const attempt = this.#agenda.attemptOf(order);
    let latest = order;
    const send: ActionSender = async (action, members, options) => {
      latest = await this.#parts.send(order, action, members, options);
      return latest;
    };
    try {
      // A killed process may have started an action; its outcome has to be known before the next one.
      if ((await this.#parts.settle(orderId, signal)) > 0) return this.#agenda.delay(orderId, 0, this.#nowMs());
      const actions = buildOrderActions(order.state, this.#possible(order), send);
      await this.#handler(order, actions, { role: getOrderRole(order, this.#parts.me), attempt, signal });
    } catch (error) {
      // A handler that rejects because the work is stopped has not failed.
      if (signal.aborted) return this.#agenda.delay(orderId, 0, this.#nowMs());
      if (latest === order && (await this.#isOvertaken(order, error))) return;
      return this.#fail(order, attempt, error);
    }
    if (latest !== order && this.#isTurn(latest)) this.#agenda.delay(orderId, 0, this.#nowMs());
    else this.#agenda.rest(latest, this.#nowMs());
  }

  /** Whether the other agent or another process of this agent acted first. */
  async #isOvertaken(order: Order, error: unknown): Promise<boolean> {
    if (!(error instanceof ApiError) || error.status !== 409) return false;
    const now = await this.#read(order.id);
    if (now !== undefined && now.version === order.version) return false;
    if (now !== undefined) this.#agenda.delay(order.id, 0, this.#nowMs());
    return true;
  }

  #fail(order: Order, attempt: number, error: unknown): void {
    const { failures, settings } = this.#parts;
    const { id: orderId, version } = order;
    const isUnpaid = error instanceof ApiError && error.code === 'insufficient_funds';
    const backoff = handlerBackoffMs(attempt, settings.random());
    // A grant of credits does not change the order, so no change would end a longer wait.
    const waitMs = isUnpaid ? Math.min(backoff, fundsWaitMaxMs) : backoff;
    failures.report({ source: 'order', kind: 'orders.work', orderId, version, attempt, error, waitMs });
    this.#agenda.fail(order, waitMs, this.#nowMs());
  }

  /** Reads an order; undefined if it does not exist, or if the read is postponed. */
  async #read(orderId: string): Promise<Order | undefined> {
    const { pollEveryMs, signal } = this.#rule;
    try {
      return await this.#parts.read(orderId, signal);
    } catch (error) {
      const isGone = error instanceof ApiError && error.code === 'not_found';
      if (!isGone && !isOutage(error) && !signal.aborted) throw error;
      this.#agenda.delay(orderId, isGone ? Number.POSITIVE_INFINITY : pollEveryMs, this.#nowMs());
      return undefined;
    }
  }

  async #wait(): Promise<void> {
    const { signal } = this.#rule;
    const nextMs = this.#pool.hasRoom() ? this.#agenda.nextDueMs() : Number.POSITIVE_INFINITY;
    const untilMs = Math.min(nextMs, this.#listDueMs);
    const waitMs = Math.min(Math.max(0, untilMs - this.#nowMs()), timerMaxMs);
    const woken = this.#woken.signal;
    try {
      await withAnySignal([signal, woken], (ended) => this.#parts.settings.sleep(waitMs, ended));
    } catch (error) {
      if (!signal.aborted && !woken.aborted) throw error;
      return;
    }
    // Tests may shorten delays, but the clock of the agenda advances by the full delay.
    this.#skippedMs += Math.max(0, untilMs - this.#nowMs());
  }

  #nowMs(): number {
    return performance.now() + this.#skippedMs;
  }
}
