import { afterAll, beforeAll, expect } from 'vitest';
import { allChecks } from '../src/areas/all-checks.ts';
import type { Pace } from '../src/context/budget/budget.ts';
import { withoutPace } from '../src/context/budget/limits.ts';
import { openHttpClient } from '../src/context/http/http-client.ts';
import { type RunOptions, runOptions } from '../src/context/options.ts';
import { openPool, type Pool } from '../src/context/pool/pool.ts';
import { openRun } from '../src/context/run.ts';
import { runCheck } from '../src/suite/run-check.ts';
import { Judge } from '../src/verdict/judge.ts';
import type { CheckOutcome } from '../src/verdict/report.ts';
import { isNoticed } from './matrix.ts';
import { type ReferenceServer, startReferenceServer, withoutLimits } from './reference-server.ts';
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
    const hooks = { ...clean.means.hooks, suspend: clean.suspendCommand };
    const options = runOptions(url, { hooks, wsUrl, limits: withoutPace, ...detection.options });
    const pool = detection.poolFor?.(url) ?? openPool(undefined, url);
    // With something in its pool, a run of the same seed chooses other handles on the same server.
    pool.noteAttempt();
    const outcomes = await runChecks(faulty.kills, options, pool, detection.pace);
    expect(outcomes.filter((outcome) => !isNoticed(outcome))).toEqual([]);
    expect(outcomes.some(({ verdict }) => verdict === 'failed')).toBe(true);
    expect(outcomes).toHaveLength(faulty.kills.length);
  } finally {
    await running.close();
  }
}

async function runChecks(
  ids: readonly string[],
  options: RunOptions,
  pool: Pool,
  pace?: Pace,
): Promise<readonly CheckOutcome[]> {
  const http = openHttpClient(options.baseUrl);
  try {
    const run = openRun(options, { http, pool, ...(pace === undefined ? {} : { clock: pace }) });
    const outcomes: CheckOutcome[] = [];
    const judge = new Judge();
    for (const check of allChecks.filter(({ id }) => ids.includes(id)))
      outcomes.push(await runCheck(check, run, pool, options, judge));
    return outcomes;
  } finally {
    http.close();
  }
}
