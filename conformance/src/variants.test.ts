import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { variants } from '../testing/mutants/variants.ts';
import { startProxy } from '../testing/proxy.ts';
import { type ReferenceServer, startReferenceServer, withoutLimits } from '../testing/reference-server.ts';
import { allLooks } from './checks/looks.ts';
import { runOptions } from './options.ts';
import { judgeServer } from './suite.ts';

let server: ReferenceServer;

beforeAll(async () => {
  server = await startReferenceServer(withoutLimits);
});

afterAll(async () => {
  await server.stop();
});

describe('a server fails nothing without --strict, and is seen to differ, that would', () => {
  it.each(variants)('$name', async ({ kills, fault }) => {
    const proxy = await startProxy(server.url, fault());
    try {
      const report = await judgeServer(runOptions(proxy.url, { writesPerMinute: 0 }));
      expect(report.checks.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
      expect(report.exitCode).toBe(0);
      const differing = report.choices.filter(({ asDecided }) => asDecided === false).map(({ id }) => id);
      expect(differing).toEqual(expect.arrayContaining([...kills, 'choice.request-id']));

      const only = allLooks.filter(({ id }) => kills.includes(id)).flatMap(({ covers }) => covers);
      // What is left of a token is seen by the checks that end one.
      const needed = ['AP-TOKEN-004', 'AP-TOKEN-008'];
      const strict = runOptions(proxy.url, { strict: true, only: [...only, ...needed], writesPerMinute: 0 });
      expect((await judgeServer(strict)).exitCode).toBe(kills.length === 0 ? 0 : 1);
    } finally {
      await proxy.close();
    }
  });

  it('is there for every look', () => {
    const seen = new Set([...variants.flatMap(({ kills }) => kills), 'choice.request-id']);
    expect(allLooks.map(({ id }) => id).filter((id) => !seen.has(id))).toEqual([]);
  });
});
