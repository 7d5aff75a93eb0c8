/** What a run may ask for, and what it has asked for. */
export interface Budget {
  /** Registrations that this run may still attempt. */
  registrationsLeft(): number;
  takeRegistration(): void;
  /** Waits until one more change may be sent. */
  paceWrite(): Promise<void>;
  /** Waits as a 429 demands; false when that would be longer than the run may wait in all. */
  waitOut(retryAfterSeconds: number): Promise<boolean>;
  /** When changes were sent in the last minute, for the budget of the next run. */
  recentWrites(): readonly number[];
  readonly spent: Spent;
}

/** What a run has asked for. */
export interface Spent {
  registrations: number;
  writes: number;
  waitedMs: number;
}

// Stated: 10 attempts to register in an hour for an address.
const registrationsPerHour = 10;
const minuteMs = 60_000;
const waitMaxMs = 120_000;

/** Where the budget gets its time from, in milliseconds since 1970. */
export interface Pace {
  now(): number;
  sleep(ms: number): Promise<void>;
}

/** What earlier runs have asked for already. */
export interface Before {
  readonly registrationsInThisHour: number;
  readonly writesInThisMinute: readonly number[];
}

/** What a run may ask for at most. */
export interface Allowance {
  readonly registrations: number;
  /** 0: as many as the server takes. */
  readonly writesPerMinute: number;
}

/** Opens a budget, from which what earlier runs asked for in this hour and minute is taken off. */
export function openBudget(allowance: Allowance, before: Before, pace: Pace): Budget {
  const { writesPerMinute } = allowance;
  const spent: Spent = { registrations: 0, writes: 0, waitedMs: 0 };
  const allowed = Math.max(0, Math.min(allowance.registrations, registrationsPerHour - before.registrationsInThisHour));
  let recent = [...before.writesInThisMinute];
  const wait = async (ms: number) => {
    spent.waitedMs += ms;
    await pace.sleep(ms);
  };
  return {
    spent,
    recentWrites: () => recent,
    registrationsLeft: () => allowed - spent.registrations,
    takeRegistration: () => {
      spent.registrations += 1;
    },
    paceWrite: async () => {
      recent = recent.filter((at) => pace.now() - at < minuteMs);
      const oldest = writesPerMinute > 0 ? recent.at(-writesPerMinute) : undefined;
      if (oldest !== undefined) await wait(minuteMs - (pace.now() - oldest));
      recent.push(pace.now());
      spent.writes += 1;
    },
    waitOut: async (retryAfterSeconds) => {
      const ms = retryAfterSeconds * 1_000;
      if (spent.waitedMs + ms > waitMaxMs) return false;
      await wait(ms);
      return true;
    },
  };
}
