import { afterAll, beforeAll, expect } from 'vitest';
import type { Mutant } from './faults.ts';
import { startProxy } from './proxy.ts';
import { type Means, type ReferenceServer, startReferenceServer, withoutLimits } from './reference-server.ts';

/** Starts the reference server for the tests of a file; it is there once they run. */
export function useReferenceServer(): () => ReferenceServer {
  let server: ReferenceServer | undefined;
  beforeAll(async () => {
    server = await startReferenceServer(withoutLimits);
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
export async function expectKilled(
  { url, means }: ReferenceServer,
  { kills, fault }: Mutant,
  suite: Suite,
): Promise<void> {
  const proxy = await startProxy(url, fault());
  try {
    const only = suite.checks.filter(({ id }) => kills.includes(id)).flatMap(({ covers }) => covers);
    const report = await suite.judge(proxy.url, { ...means, only });
    const failed = report.checks.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id);
    expect(failed).toEqual(expect.arrayContaining([...kills]));
    expect(report.checks.filter(({ verdict }) => verdict === 'error')).toEqual([]);
    expect(report.exitCode).toBe(1);
  } finally {
    await proxy.close();
  }
}
