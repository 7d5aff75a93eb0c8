import type { ClientAttempt, FaultWindow } from './windows.ts';

/** What clients observed in a run, with times from its start. */
export type Observations = ReturnType<typeof makeObservations>;

/** The maximum number of recorded problems; the first ones are the most useful. */
const problemsMax = 200;
const standstillMs = 1_500;
const tickMs = 250;

/** Starts recording what clients observe. */
export function makeObservations() {
  const attempts: ClientAttempt[] = [];
  const windows: FaultWindow[] = [];
  const problems: string[] = [];
  let tell: (text: string) => void = () => undefined;
  let watching: NodeJS.Timeout | undefined;
  return {
    /** Marks the start of the work and returns its time. From then on the machine is monitored. */
    start: () => {
      const startedMs = performance.now();
      attempts.length = 0;
      let lastMs = startedMs;
      // Detects when the machine pauses or starves all processes, which is not the server's fault.
      watching = setInterval(() => {
        const nowMs = performance.now();
        if (nowMs - lastMs > standstillMs) {
          const name = `a standstill of this process for ${Math.round((nowMs - lastMs) / 1_000)} s`;
          windows.push({ name, beganMs: lastMs, endedMs: nowMs, explains: [/./] });
        }
        lastMs = nowMs;
      }, tickMs);
      return startedMs;
    },
    attempts,
    windows,
    problems,
    note: (kind: string, sentMs: number, cause?: string) => {
      attempts.push({ kind, sentMs, answeredMs: performance.now(), cause });
    },
    /** Records something that must never happen. */
    problem: (text: string) => {
      if (problems.length >= problemsMax) return;
      problems.push(text);
      tell(text);
    },
    /** Calls the listener with each problem when it is found. */
    onProblem: (listener: (text: string) => void) => {
      tell = listener;
    },
    /** Successful attempts by kind. */
    succeeded: (): Readonly<Record<string, number>> => {
      const counts: Record<string, number> = {};
      for (const { kind, cause } of attempts) if (cause === undefined) counts[kind] = (counts[kind] ?? 0) + 1;
      return counts;
    },
    close: () => clearInterval(watching),
  };
}
