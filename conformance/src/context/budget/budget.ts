import type { Limits } from './limits.ts';

/** A kind of request that has its own limit per minute. */
export type LimitedRequestKind = 'requests' | 'writes' | 'contactRequests' | 'messages';

/** Counts the requests of a run, and delays those that would exceed its limits. */
export type Budget = ReturnType<typeof openBudget>;

/** How many requests of each kind were sent in each second; the keys are seconds since 1970. */
export type SentPerSecond = Readonly<Record<string, Readonly<Record<string, number>>>>;

const nothingSpent = {
  registrations: 0,
  requests: 0,
  writes: 0,
  contactRequests: 0,
  messages: 0,
  uploads: 0,
  creditsMinor: 0,
  /** The maximum number of concurrent event connections. */
  sockets: 0,
  /** The number of unexpected 429 responses. */
  limited: 0,
  waitedMs: 0,
};

export type BudgetUsage = typeof nothingSpent;

const minuteMs = 60_000;
const waitMaxMs = 120_000;
// A margin, because the server's minute may end a little later than the suite's.
const restMarginMs = 1_000;

/** The clock that a budget uses; `now` returns milliseconds since 1970. */
export interface BudgetClock {
  now(): number;
  sleep(ms: number): Promise<void>;
}

export interface BudgetOptions {
  readonly registrations: number;
  /** The registrations that become possible when the server's clock is moved forward by an hour. */
  readonly laterRegistrations?: number;
  readonly limits: Limits;
  readonly before: { readonly registrationsInThisHour: number; readonly recent: SentPerSecond };
}

/** What earlier runs sent in the last hour and minute counts too. */
export function openBudget(
  { registrations, laterRegistrations = 0, limits, before }: BudgetOptions,
  pace: BudgetClock,
) {
  const spent: BudgetUsage = { ...nothingSpent };
  const inThisHour = limits.registrationsPerHour - before.registrationsInThisHour;
  let allowed = limits.registrationsPerHour === 0 ? registrations : Math.max(0, Math.min(registrations, inThisHour));
  let further = 0;
  const windows = new Map(Object.entries(before.recent).map(([name, counts]) => [name, expand(counts)]));
  const maxima: Readonly<Record<LimitedRequestKind, number>> = {
    requests: limits.requestsPerMinute,
    writes: limits.writesPerMinute,
    contactRequests: limits.contactRequestsPerMinute,
    messages: limits.messagesPerMinute,
  };
  let waitedOutMs = 0;
  // The clock is read only once, because a minute can have a thousand requests.
  const sentInMinute = (name: string, minute = minuteMs) => {
    const since = pace.now() - minute;
    return (windows.get(name) ?? []).filter((at) => at > since);
  };
  const queues = new Map<string, Promise<void>>();
  const wait = async (left: number) => {
    // On a busy machine, the minute may end while `left` is computed, which is then negative.
    const ms = Math.max(0, left);
    spent.waitedMs += ms;
    await pace.sleep(ms);
  };
  return {
    spent,
    /** The counts of the last minute, for the budget of the next run. */
    recent: (): SentPerSecond => {
      return Object.fromEntries([...windows.keys()].map((name) => [name, collapse(sentInMinute(name))]));
    },
    registrationsLeft: (): number => allowed - spent.registrations,
    /** Like `registrationsLeft`, plus the registrations that become possible during the run. */
    registrationsPlanned: (): number => allowed - spent.registrations + laterRegistrations,
    /** No longer counts the registrations of the last hour, because the server's clock was moved forward by an hour. */
    hourPassed: (): void => {
      allowed = registrations + laterRegistrations + further;
    },
    hasRegistrationLimit: limits.registrationsPerHour > 0,
    takeRegistration: (): void => {
      spent.registrations += 1;
    },
    /** Permits and counts one registration beyond the planned ones. */
    takeExtraRegistration: (): void => {
      further += 1;
      allowed += 1;
      spent.registrations += 1;
    },
    /** Waits until another request of this kind may be sent, and counts it (per agent, if given). */
    pace: (kind: LimitedRequestKind, agent?: string): Promise<void> => {
      const name = nameOf(kind, agent);
      const take = async () => {
        const sent = sentInMinute(name);
        const oldest = maxima[kind] > 0 ? sent.at(-maxima[kind]) : undefined;
        if (oldest !== undefined) await wait(minuteMs - (pace.now() - oldest));
        windows.set(name, [...sent, pace.now()]);
        spent[kind] += 1;
      };
      // Concurrent requests are queued: otherwise all of them would wait for the same free slot.
      const turn = (queues.get(name) ?? Promise.resolve()).then(take);
      queues.set(name, turn);
      return turn;
    },
    /** Counts a request that was sent without `pace`, to exhaust a limit. */
    count: (kind: LimitedRequestKind, agent?: string): void => {
      const name = nameOf(kind, agent);
      windows.set(name, [...sentInMinute(name), pace.now()]);
      spent[kind] += 1;
    },
    /** Waits until at most `atMost` requests of this kind were sent in the last minute. */
    rest: async (kind: LimitedRequestKind, agent?: string, atMost = 0): Promise<void> => {
      const restMs = minuteMs + restMarginMs;
      const last = sentInMinute(nameOf(kind, agent), restMs).at(-1 - atMost);
      if (last !== undefined) await wait(restMs - (pace.now() - last));
    },
    /** Waits as long as a 429 requires; returns false if all such waits together would exceed the maximum. */
    waitOut: async (retryAfterSeconds: number): Promise<boolean> => {
      spent.limited += 1;
      const ms = retryAfterSeconds * 1_000;
      if (waitedOutMs + ms > waitMaxMs) return false;
      waitedOutMs += ms;
      await wait(ms);
      return true;
    },
  };
}

function nameOf(kind: LimitedRequestKind, agent: string | undefined): string {
  return agent === undefined ? kind : `${kind} ${agent}`;
}

// Counts per second keep the pool file short. Times are rounded up, so that the next run never sends too early.
function collapse(sent: readonly number[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const at of sent) {
    const second = String(Math.ceil(at / 1_000));
    counts[second] = (counts[second] ?? 0) + 1;
  }
  return counts;
}

function expand(counts: Readonly<Record<string, number>>): number[] {
  return Object.entries(counts).flatMap(([second, count]) => Array<number>(count).fill(Number(second) * 1_000));
}
