import type { ClientAttempt, FaultWindow } from './windows.ts';

/** Records what clients observe. Times are relative to the start of the run. */
export type Observations = ReturnType<typeof makeObservations>;

/** Limits the recorded problems, because the first ones are the most useful. */
const problemsMax = 200;
const standstillMs = 1_500;
const tickMs = 250;

export function makeObservations() {
  const attempts: ClientAttempt[] = [];
  const windows: FaultWindow[] = [];
  const problems: string[] = [];
  let tell: (text: string) => void = () => undefined;
  let watching: NodeJS.Timeout | undefined;
  return {
    /** Marks the start of the work, monitors the machine from then on, and returns the time. */
    start: () => {
      const startedMs = performance.now();
      attempts.length = 0;
      let lastMs = startedMs;
      // Detects when the machine pauses or starves all processes, because the server is not the cause.
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
    /** Records a violation, which must never occur. */
    problem: (text: string) => {
      if (problems.length >= problemsMax) return;
      problems.push(text);
      tell(text);
    },
    onProblem: (listener: (text: string) => void) => {
      tell = listener;
    },
    succeeded: (): Readonly<Record<string, number>> => {
      const counts: Record<string, number> = {};
      for (const { kind, cause } of attempts) if (cause === undefined) counts[kind] = (counts[kind] ?? 0) + 1;
      return counts;
    },
    close: () => clearInterval(watching),
  };
}
