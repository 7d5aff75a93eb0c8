import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allMutants } from '../testing/mutants/all-mutants.ts';
import { startProxy } from '../testing/proxy.ts';
import { type ReferenceServer, startReferenceServer, withoutLimits } from '../testing/reference-server.ts';
import { allChecks } from './checks/all-checks.ts';
import { withoutPace } from './limits.ts';
import { runOptions } from './options.ts';
import type { Report } from './report.ts';
import { judgeServer } from './suite.ts';

let server: ReferenceServer;

beforeAll(async () => {
  server = await startReferenceServer(withoutLimits);
});

afterAll(async () => {
  await server.stop();
});

async function judge(baseUrl: string, ids: readonly string[]): Promise<Report> {
  const only = allChecks.filter(({ id }) => ids.includes(id)).flatMap(({ covers }) => covers);
  return await judgeServer(runOptions(baseUrl, { only, limits: withoutPace }));
}

describe('a faulty server is found out where', () => {
  it.each(allMutants)('$name', async ({ kills, fault }) => {
    const proxy = await startProxy(server.url, fault());
    try {
      const report = await judge(proxy.url, kills);
      const failed = report.checks.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id);
      expect(failed).toEqual(expect.arrayContaining([...kills]));
      expect(report.checks.filter(({ verdict }) => verdict === 'error')).toEqual([]);
      expect(report.exitCode).toBe(1);
    } finally {
      await proxy.close();
    }
  });

  it('nothing is faulty but that it stands in between: then everything passes', async () => {
    const proxy = await startProxy(server.url, {});
    try {
      const report = await judgeServer(runOptions(proxy.url, { limits: withoutPace }));
      expect(report.checks.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
    } finally {
      await proxy.close();
    }
  });
});

describe('the checks', () => {
  it('are each proved by a faulty server at least', () => {
    const killed = new Set(allMutants.flatMap(({ kills }) => kills));
    expect(allChecks.map(({ id }) => id).filter((id) => !killed.has(id))).toEqual([]);
  });

  it('are all that the faulty servers name', () => {
    const known = new Set(allChecks.map(({ id }) => id));
    expect(allMutants.flatMap(({ kills }) => kills).filter((id) => !known.has(id))).toEqual([]);
  });
});
