import type { OrderVersion } from './order-types.ts';

interface Entry {
  /** When to read the order; infinite if there is nothing to do until its next version. */
  readonly dueMs: number;
  readonly isRunning: boolean;
  /** The highest version reported while the handler was running. */
  readonly reportedVersion: number;
  /** The version at which the handler succeeded; 0 for none. */
  readonly handledVersion: number;
  readonly failedVersion: number;
  /** The number of failed attempts at that version. */
  readonly failures: number;
}

const fresh: Entry = {
  dueMs: Number.POSITIVE_INFINITY,
  isRunning: false,
  reportedVersion: 0,
  handledVersion: 0,
  failedVersion: 0,
  failures: 0,
};

/** Decides which orders to read, and when. Times are milliseconds of a monotonic clock. */
export class OrderAgenda {
  readonly #entries = new Map<string, Entry>();

  /** Replaces the agenda with the complete list of the orders that wait for the agent, oldest first. */
  takeList(orders: readonly OrderVersion[], nowMs: number): void {
    for (const order of orders) this.report(order, nowMs);
    const listed = new Set(orders.map(({ id }) => id));
    for (const [id, { isRunning, dueMs }] of this.#entries) {
      // A due order stays, because it may have been reported after the list was read.
      if (!isRunning && dueMs > nowMs && !listed.has(id)) this.#entries.delete(id);
    }
  }

  /** Reports a version of an order; a new one makes the order due immediately, or when the running handler ends. */
  report({ id, version }: OrderVersion, nowMs: number): void {
    const entry = this.#entries.get(id) ?? fresh;
    if (entry.isRunning) {
      this.#entries.set(id, { ...entry, reportedVersion: Math.max(entry.reportedVersion, version) });
    } else if (version > Math.max(entry.handledVersion, entry.failedVersion)) {
      this.#entries.set(id, { ...entry, dueMs: Math.min(entry.dueMs, nowMs) });
    }
  }

  /** Returns the id of the first due order and marks the order as running. */
  start(nowMs: number): string | undefined {
    for (const [id, entry] of this.#entries) {
      if (entry.isRunning || entry.dueMs > nowMs) continue;
      this.#entries.set(id, { ...entry, isRunning: true, reportedVersion: 0 });
      return id;
    }
    return undefined;
  }

  isHandled({ id, version }: OrderVersion): boolean {
    return this.#entries.get(id)?.handledVersion === version;
  }

  /** The number of the next attempt at this version of an order, from 1. */
  attemptOf({ id, version }: OrderVersion): number {
    const { failedVersion, failures } = this.#entries.get(id) ?? fresh;
    return failedVersion === version ? failures + 1 : 1;
  }

  /** Marks the order as handled at this version. */
  rest({ id, version }: OrderVersion, nowMs: number): void {
    const entry = this.#entries.get(id) ?? fresh;
    const dueMs = entry.reportedVersion > version ? nowMs : Number.POSITIVE_INFINITY;
    this.#entries.set(id, { ...entry, isRunning: false, dueMs, handledVersion: version, failures: 0 });
  }

  /** Marks an attempt as failed; the order is due again after a delay, or at its next version. */
  fail(order: OrderVersion, waitMs: number, nowMs: number): void {
    const { id, version } = order;
    const entry = this.#entries.get(id) ?? fresh;
    const dueMs = entry.reportedVersion > version ? nowMs : nowMs + waitMs;
    const failures = this.attemptOf(order);
    this.#entries.set(id, { ...entry, isRunning: false, dueMs, failedVersion: version, failures });
  }

  delay(id: string, waitMs: number, nowMs: number): void {
    this.#entries.set(id, { ...(this.#entries.get(id) ?? fresh), isRunning: false, dueMs: nowMs + waitMs });
  }

  nextDueMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { isRunning, dueMs } of this.#entries.values()) if (!isRunning) next = Math.min(next, dueMs);
    return next;
  }
}
