import type { Limits } from './limits.ts';

/** What has its own limit in a minute. */
export type Paced = 'requests' | 'writes' | 'contactRequests' | 'messages';

/** What a run may ask for, and what it has asked for. */
export type Budget = ReturnType<typeof openBudget>;

/** How many were sent in which second since 1970, by what was sent. */
export type Recent = Readonly<Record<string, Readonly<Record<string, number>>>>;

const nothingSpent = {
  ...{ registrations: 0, requests: 0, writes: 0, contactRequests: 0, messages: 0, uploads: 0, creditsMinor: 0 },
  /** The most concurrent event connections. */
  sockets: 0,
  /** Answers with an unexpected 429. */
  limited: 0,
  waitedMs: 0,
};

/** What a run has sent. */
export type Spent = typeof nothingSpent;

const minuteMs = 60_000;
const waitMaxMs = 120_000;
// The minute of a server may begin a little later than ours.
const restMarginMs = 1_000;

/** Where the budget gets its time from, in milliseconds since 1970. */
export interface Pace {
  now(): number;
  sleep(ms: number): Promise<void>;
}

/** What a run may ask for at most, and what earlier runs have asked for already. */
export interface Allowance {
  readonly registrations: number;
  /** Those after the clock of the server has moved by an hour. */
  readonly laterRegistrations?: number;
  readonly limits: Limits;
  readonly before: { readonly registrationsInThisHour: number; readonly recent: Recent };
}

/** Opens a budget, from which what earlier runs asked for in this hour and minute is taken off. */
export function openBudget({ registrations, laterRegistrations = 0, limits, before }: Allowance, pace: Pace) {
  const spent: Spent = { ...nothingSpent };
  const inThisHour = limits.registrationsPerHour - before.registrationsInThisHour;
  let allowed = limits.registrationsPerHour === 0 ? registrations : Math.max(0, Math.min(registrations, inThisHour));
  let further = 0;
  const windows = new Map(Object.entries(before.recent).map(([name, counts]) => [name, expand(counts)]));
  const maxima: Readonly<Record<Paced, number>> = {
    requests: limits.requestsPerMinute,
    writes: limits.writesPerMinute,
    contactRequests: limits.contactRequestsPerMinute,
    messages: limits.messagesPerMinute,
  };
  let waitedOutMs = 0;
  // The clock is read once, and not for each of the thousand requests of a minute.
  const sentInMinute = (name: string, minute = minuteMs) => {
    const since = pace.now() - minute;
    return (windows.get(name) ?? []).filter((at) => at > since);
  };
  const queues = new Map<string, Promise<void>>();
  const wait = async (left: number) => {
    // On a busy machine a minute may end while it is asked for.
    const ms = Math.max(0, left);
    spent.waitedMs += ms;
    await pace.sleep(ms);
  };
  return {
    spent,
    /** What was sent in the last minute, for the budget of the next run. */
    recent: (): Recent => {
      return Object.fromEntries([...windows.keys()].map((name) => [name, collapse(sentInMinute(name))]));
    },
    /** Registrations that this run may still attempt. */
    registrationsLeft: (): number => allowed - spent.registrations,
    /** The same with those that become possible during the run. */
    registrationsPlanned: (): number => allowed - spent.registrations + laterRegistrations,
    /** The clock of the server has moved by an hour: the attempts of the last hour no longer count. */
    hourPassed: (): void => {
      allowed = registrations + laterRegistrations + further;
    },
    /** Whether the server limits registrations, as the options say. */
    hasRegistrationLimit: limits.registrationsPerHour > 0,
    takeRegistration: (): void => {
      spent.registrations += 1;
    },
    /** One beside those that a run has planned by their names. */
    takeFurtherRegistration: (): void => {
      further += 1;
      allowed += 1;
      spent.registrations += 1;
    },
    /** Waits until one more of these may be sent; changes are counted for each agent by itself. */
    pace: (kind: Paced, agent?: string): Promise<void> => {
      const name = nameOf(kind, agent);
      const take = async () => {
        const sent = sentInMinute(name);
        const oldest = maxima[kind] > 0 ? sent.at(-maxima[kind]) : undefined;
        if (oldest !== undefined) await wait(minuteMs - (pace.now() - oldest));
        windows.set(name, [...sent, pace.now()]);
        spent[kind] += 1;
      };
      // Requests that are made at once take their turns, or they would all wait for the same place.
      const turn = (queues.get(name) ?? Promise.resolve()).then(take);
      queues.set(name, turn);
      return turn;
    },
    /** Counts one more that is sent whatever the pace, to exhaust a limit. */
    count: (kind: Paced, agent?: string): void => {
      const name = nameOf(kind, agent);
      windows.set(name, [...sentInMinute(name), pace.now()]);
      spent[kind] += 1;
    },
    /** Waits until at most so many of these were sent in the last minute. */
    rest: async (kind: Paced, agent?: string, atMost = 0): Promise<void> => {
      const restMs = minuteMs + restMarginMs;
      const last = sentInMinute(nameOf(kind, agent), restMs).at(-1 - atMost);
      if (last !== undefined) await wait(restMs - (pace.now() - last));
    },
    /** Waits as a 429 demands; false when that would be longer than the run may wait in all. */
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

function nameOf(kind: Paced, agent: string | undefined): string {
  return agent === undefined ? kind : `${kind} ${agent}`;
}

// Told by the second, and late rather than early: the file stays short, and the pace safe.
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
