/** The time from the start of a fault until the server should have recovered from it, in `performance` time. */
export interface FaultWindow {
  /** The fault and its target. */
  readonly name: string;
  readonly beganMs: number;
  /** Infinite while the fault lasts. */
  endedMs: number;
  /** Refusals and broken connections that the fault explains. */
  readonly explains: readonly RegExp[];
}

/** A request, or an event connection that ended. */
export interface ClientAttempt {
  readonly kind: string;
  readonly sentMs: number;
  readonly answeredMs: number;
  /** Why it failed; undefined if it succeeded. */
  readonly cause?: string | undefined;
}

/** The effect of a fault on clients. */
export interface FaultEffect {
  readonly name: string;
  readonly seconds: number;
  /** Failed attempts, by cause. */
  readonly failed: Readonly<Record<string, number>>;
  /** The longest time without a successful request. */
  readonly outageMs: number;
  /** From the end of the fault to the last failure that it explains; 0 if there is none. */
  readonly lastFailureMs: number;
}

/** How long a fault may have effects after its end: a unit of work, a readiness check, a reconnect. */
const settleMs = 15_000;

/** Limits that clients reach on a busy machine even without a fault. */
const always = [/^upload_busy$/, /^upload_unavailable after an unknown outcome$/];

/** Finds the fault that explains a failure: it occurred at the same time and allows this cause. */
function explain(
  { cause, sentMs, answeredMs }: ClientAttempt,
  windows: readonly FaultWindow[],
): readonly FaultWindow[] {
  return windows.filter(
    ({ beganMs, endedMs, explains }) =>
      answeredMs >= beganMs && sentMs <= endedMs + settleMs && explains.some((form) => form.test(cause ?? '')),
  );
}

/** Describes the failures that no fault explains, with times from the start of the run. */
export function findUnexplainedFailures(
  attempts: readonly ClientAttempt[],
  windows: readonly FaultWindow[],
  startedMs: number,
): readonly string[] {
  return attempts
    .filter(({ cause }) => cause !== undefined && !always.some((form) => form.test(cause)))
    .filter((attempt) => explain(attempt, windows).length === 0)
    .map(({ kind, cause, sentMs, answeredMs }) => {
      const near = windows.filter(({ beganMs, endedMs }) => answeredMs >= beganMs && sentMs <= endedMs + settleMs);
      const during = near.length === 0 ? 'without a fault' : `during ${near.map(({ name }) => name).join(' and ')}`;
      return `${kind}: "${cause}" ${during}, at ${formatElapsedTime(sentMs - startedMs)}, after ${((answeredMs - sentMs) / 1_000).toFixed(1)} s`;
    });
}

/** Measures the effects of each fault. */
export function measureFaultEffects(
  attempts: readonly ClientAttempt[],
  windows: readonly FaultWindow[],
): readonly FaultEffect[] {
  const successes = attempts.filter(({ cause }) => cause === undefined).map(({ answeredMs }) => answeredMs);
  successes.sort((one, other) => one - other);
  return windows.map((window) => {
    const { name, beganMs, endedMs } = window;
    const explained = attempts.filter(
      (attempt) => attempt.cause !== undefined && explain(attempt, [window]).length > 0,
    );
    const failed: Record<string, number> = {};
    for (const { kind, cause } of explained) failed[`${kind} ${cause}`] = (failed[`${kind} ${cause}`] ?? 0) + 1;
    const requests = explained.filter(({ kind }) => kind !== 'event connections');
    return {
      name,
      seconds: (endedMs - beganMs) / 1_000,
      failed,
      outageMs: findLongestGap(successes, beganMs, endedMs + settleMs),
      lastFailureMs: Math.max(0, ...requests.map(({ answeredMs }) => answeredMs - endedMs)),
    };
  });
}

function findLongestGap(times: readonly number[], fromMs: number, toMs: number): number {
  let longest = 0;
  let last: number | undefined;
  for (const time of times) {
    if (last !== undefined && time >= fromMs && last <= toMs) longest = Math.max(longest, time - last);
    last = time;
  }
  return longest;
}

/** Formats a time as minutes and seconds. */
export function formatElapsedTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
}
