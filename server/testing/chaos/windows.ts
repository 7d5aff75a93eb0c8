/** The time from the start of a fault until the server should have recovered, in `performance` time. */
export interface FaultWindow {
  readonly name: string;
  readonly beganMs: number;
  /** Infinity while the fault lasts. */
  endedMs: number;
  /** Patterns for the causes of failures that the fault explains. */
  readonly explains: readonly RegExp[];
}

/** A request, or the lifetime of an event connection. */
export interface ClientAttempt {
  readonly kind: string;
  readonly sentMs: number;
  readonly answeredMs: number;
  /** The cause of a failure; undefined if the attempt succeeded. */
  readonly cause?: string | undefined;
}

export interface FaultEffect {
  readonly name: string;
  readonly seconds: number;
  /** The numbers of failed attempts by cause. */
  readonly failed: Readonly<Record<string, number>>;
  /** The longest time without a successful request. */
  readonly outageMs: number;
  /** The time from the end of the fault to the last failure that it explains; 0 if there is none. */
  readonly lastFailureMs: number;
}

/** The time after its end in which a fault may still have effects: a unit of work, a readiness check, a reconnect. */
const settleMs = 15_000;

/** Limits that clients reach on a busy machine even without a fault. */
const always = [/^upload_busy$/, /^upload_unavailable after an unknown outcome$/];

/** Finds the faults that explain a failure: they occurred at its time and allow its cause. */
function explain(
  { cause, sentMs, answeredMs }: ClientAttempt,
  windows: readonly FaultWindow[],
): readonly FaultWindow[] {
  return windows.filter(
    ({ beganMs, endedMs, explains }) =>
      answeredMs >= beganMs && sentMs <= endedMs + settleMs && explains.some((form) => form.test(cause ?? '')),
  );
}

/** Describes failures that no fault explains, with their times since the start of the run. */
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

/** Returns minutes and seconds as mm:ss. */
export function formatElapsedTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
}
