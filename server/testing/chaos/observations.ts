import type { ClientAttempt, FaultWindow } from './windows.ts';

/** What clients observed in a run; times count from its start. */
export type Observations = ReturnType<typeof makeObservations>;

/** At most so many problems are kept: the first ones tell the most. */
const problemsMax = 200;
const standstillMs = 1_500;
const tickMs = 250;

/** Starts to record what clients observe. */
export function makeObservations() {
  const attempts: ClientAttempt[] = [];
  const windows: FaultWindow[] = [];
  const problems: string[] = [];
  let tell: (text: string) => void = () => undefined;
  let watching: NodeJS.Timeout | undefined;
  return {
    /** The work begins; returns when. From now on the machine is watched. */
    start: () => {
      const startedMs = performance.now();
      attempts.length = 0;
      let lastMs = startedMs;
      // A machine that holds all processes, or has no time for them, is no fault of the server.
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
    /** Reports something that must never happen. */
    problem: (text: string) => {
      if (problems.length >= problemsMax) return;
      problems.push(text);
      tell(text);
    },
    /** Called with each problem when it is found. */
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
