import { afterAll, beforeAll, expect } from 'vitest';
import type { Pace } from '../src/context/budget/budget.ts';
import { withoutPace } from '../src/context/budget/limits.ts';
import { type RunOptions, runOptions } from '../src/context/options.ts';
import type { Pool } from '../src/context/pool/pool.ts';
import { isNoticed } from './matrix.ts';
import { allHooksOf, type ReferenceServer, startReferenceServer, withoutLimits } from './reference-server.ts';
import { runChecks } from './run-checks.ts';
import { type Mutant, startFaulty } from './start-faulty.ts';

/** Starts the reference server for the tests of a file; it is there once they run. */
export function useReferenceServer(settings: Readonly<Record<string, string>> = {}): () => ReferenceServer {
  let server: ReferenceServer | undefined;
  beforeAll(async () => {
    // The isolation of file checks is tested in the server, and costs half of each start of an inspector.
    server = await startReferenceServer({ ...withoutLimits, PLATFORM_UPLOAD_ISOLATION: 'off', ...settings });
  });
  afterAll(async () => {
    await server?.stop();
  });
  return () => {
    if (server === undefined) throw new Error('The reference server runs while tests do.');
    return server;
  };
}

/** How the checks are run against a faulty server. */
export interface Detection {
  readonly options?: Partial<RunOptions>;
  /** The agents to act with, in place of new ones of the faulty server. */
  readonly poolFor?: (baseUrl: string) => Pool;
  /** A time in which waiting takes none. */
  readonly pace?: Pace;
}

/** Expects that every check which a faulty server names fails on it; no other check is run. */
export async function expectDetected(clean: ReferenceServer, faulty: Mutant, detection: Detection = {}): Promise<void> {
  const running = await startFaulty(clean, faulty);
  try {
    const { url, wsUrl } = running;
    const hooks = allHooksOf(clean);
    const options = runOptions(url, { hooks, wsUrl, limits: withoutPace, ...detection.options });
    const means = { pool: detection.poolFor?.(url), pace: detection.pace };
    const outcomes = await runChecks(faulty.kills, options, means);
    expect(outcomes.filter((outcome) => !isNoticed(outcome))).toEqual([]);
    expect(outcomes.some(({ verdict }) => verdict === 'failed')).toBe(true);
    expect(outcomes).toHaveLength(faulty.kills.length);
  } finally {
    await running.close();
  }
}
