import { afterAll, beforeAll, expect } from 'vitest';
import type { BudgetClock } from '../src/context/budget/budget.ts';
import { unpacedLimits } from '../src/context/budget/limits.ts';
import { type RunOptions, runOptions } from '../src/context/options.ts';
import type { Pool } from '../src/context/pool/pool.ts';
import { hasDetectedFault } from './matrix.ts';
import { allHooksOf, type ReferenceServer, startReferenceServer, unlimitedSettings } from './reference-server.ts';
import { runChecks } from './run-checks.ts';
import { type Mutant, startFaultyServer } from './start-faulty.ts';

/** Starts the reference server before the tests of a file and stops it after them; the result returns the server. */
export function startReferenceServerForTests(settings: Readonly<Record<string, string>> = {}): () => ReferenceServer {
  let server: ReferenceServer | undefined;
  beforeAll(async () => {
    // Upload isolation takes half of an inspector's start time, and the server's tests cover it.
    server = await startReferenceServer({ ...unlimitedSettings, PLATFORM_UPLOAD_ISOLATION: 'off', ...settings });
  });
  afterAll(async () => {
    await server?.stop();
  });
  return () => {
    if (server === undefined) throw new Error('The reference server only runs while tests run.');
    return server;
  };
}

export interface DetectionOptions {
  readonly options?: Partial<RunOptions>;
  /** Makes the pool to use; without it, new agents are registered on the faulty server. */
  readonly poolFor?: (baseUrl: string) => Pool;
  /** A clock in which waits take no time. */
  readonly pace?: BudgetClock;
}

/** Runs the checks that a faulty server names and expects each of them to detect the fault. */
export async function expectDetected(
  clean: ReferenceServer,
  faulty: Mutant,
  detection: DetectionOptions = {},
): Promise<void> {
  const running = await startFaultyServer(clean, faulty);
  try {
    const { url, wsUrl } = running;
    const hooks = allHooksOf(clean);
    const options = runOptions(url, { hooks, wsUrl, limits: unpacedLimits, ...detection.options });
    const means = { pool: detection.poolFor?.(url), pace: detection.pace };
    const outcomes = await runChecks(faulty.kills, options, means);
    expect(outcomes.filter((outcome) => !hasDetectedFault(outcome))).toEqual([]);
    expect(outcomes.some(({ verdict }) => verdict === 'failed')).toBe(true);
    expect(outcomes).toHaveLength(faulty.kills.length);
  } finally {
    await running.close();
  }
}
