import { afterAll, beforeAll, expect } from 'vitest';
import { type Means, type ReferenceServer, startReferenceServer, withoutLimits } from './reference-server.ts';
import { type FaultyServer, startFaulty } from './start-faulty.ts';

/** Starts the reference server for the tests of a file; it is there once they run. */
export function useReferenceServer(settings: Readonly<Record<string, string>> = {}): () => ReferenceServer {
  let server: ReferenceServer | undefined;
  beforeAll(async () => {
    server = await startReferenceServer({ ...withoutLimits, ...settings });
  });
  afterAll(async () => {
    await server?.stop();
  });
  return () => {
    if (server === undefined) throw new Error('The reference server runs while tests do.');
    return server;
  };
}

/** What is proved: the checks, and how a server is judged by some requirements. */
export interface Suite {
  readonly checks: readonly { readonly id: string; readonly covers: readonly string[] }[];
  judge(baseUrl: string, options: Means & { readonly only: readonly string[] }): Promise<Judged>;
}

interface Judged {
  readonly exitCode: number;
  readonly checks: readonly { readonly id: string; readonly verdict: string }[];
}

/** Sees that every check which a faulty server names fails on it, and that the suite itself does not. */
export async function expectKilled(clean: ReferenceServer, faulty: FaultyServer, suite: Suite): Promise<void> {
  const { kills } = faulty;
  const running = await startFaulty(clean, faulty);
  try {
    const only = suite.checks.filter(({ id }) => kills.includes(id)).flatMap(({ covers }) => covers);
    const report = await suite.judge(running.baseUrl, { ...clean.means, wsUrl: running.wsUrl, only });
    const failed = report.checks.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id);
    expect(failed).toEqual(expect.arrayContaining([...kills]));
    expect(report.checks.filter(({ verdict }) => verdict === 'error')).toEqual([]);
    expect(report.exitCode).toBe(1);
  } finally {
    await running.close();
  }
}
