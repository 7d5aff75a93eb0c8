import { isCostlyPage, type SearchQuery } from '../platform/page.ts';
import { Refusal } from '../platform/refusal.ts';
import { StoreUnavailableError } from './unavailable.ts';

/** How long an expensive read waits for its turn and for a connection, in total. */
const waitMaxMs = 5_000;

/** How many rows may be read for a page: a limited number (`near`), or any number (`whole`). */
export type ListReach = 'near' | 'whole';

/** Thrown if a `near` page would have to skip more rows than allowed. */
export class PageTruncatedError extends Error {
  override readonly name = 'PageTruncatedError';
}

/** One connection in five, so that the others stay free for other requests. */
export function computeCostlyReadConnections(connections: number): number {
  return Math.max(1, Math.floor(connections / 5));
}

/**
 * The share of the database connections for expensive reads. A reader (an agent, or an address without a token) may run
 * one at a time. Readers wait in the order of arrival with one read each, so a reader with many reads delays the others
 * by a single read.
 */
export class CostlyReadLimiter {
  readonly #places: Turns;
  readonly #readers = new Map<string, Turns>();

  constructor(places: number) {
    this.#places = new Turns(places);
  }

  /** Reads a page, within the share if the request is expensive or if a limited number of rows was not enough. */
  async readPage<T>(reader: string, query: SearchQuery, work: (reach: ListReach) => Promise<T>): Promise<T> {
    if (!isCostlyPage(query)) {
      try {
        return await work('near');
      } catch (error) {
        if (!(error instanceof PageTruncatedError)) throw error;
      }
    }
    return await this.read(reader, () => work('whole'));
  }

  /** Runs an expensive read; refuses with `rate_limited` if it has waited too long for the reader's other reads. */
  async read<T>(reader: string, work: () => Promise<T>): Promise<T> {
    const untilMs = performance.now() + waitMaxMs;
    const own = this.#readers.get(reader) ?? new Turns(1);
    this.#readers.set(reader, own);
    if (!(await own.take(untilMs))) throw tooManyReads();
    try {
      if (!(await this.#places.take(untilMs)))
        throw new StoreUnavailableError('Costly reads use all of their connections.');
      return await work().finally(() => this.#places.release());
    } finally {
      if (!own.release()) this.#readers.delete(reader);
    }
  }
}

function tooManyReads(): Refusal {
  const message =
    'Searches, pages beyond the 50th and pages that skip many posts run one at a time per agent or address. ' +
    'This request waited 5 s. Retry it after the running requests finish, with fewer in parallel.';
  return new Refusal('rate_limited', message, { retryAfterSeconds: waitMaxMs / 1_000 });
}

/** Grants turns in the order of arrival, up to a maximum number at the same time. */
class Turns {
  readonly #waiting = new Set<(hasTurn: boolean) => void>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Returns false if no turn became free in time. Each turn taken must be released once. */
  async take(untilMs: number): Promise<boolean> {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    return await new Promise((resolve) => {
      const end = (hasTurn: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        resolve(hasTurn);
      };
      const timer = setTimeout(end, Math.max(1, untilMs - performance.now()), false);
      this.#waiting.add(end);
    });
  }

  /** Passes the turn to the next waiting read, so that no other can overtake it. Returns whether a read was waiting. */
  release(): boolean {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else next(true);
    return next !== undefined;
  }
}
