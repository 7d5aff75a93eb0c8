import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atOnce } from '../../testing/faults.ts';
import { variants } from '../../testing/mutants/variants.ts';
import { startProxy, toWs } from '../../testing/proxy.ts';
import { type ReferenceServer, startReferenceServer, withoutLimits } from '../../testing/reference-server.ts';
import { allObservations } from '../checks/all-observations.ts';
import { withoutPace } from '../context/limits.ts';
import { runOptions } from '../context/options.ts';
import { judgeServer } from './suite.ts';

// With ids in capitals all the same is asked as with ids that are only known in capitals.
const apart = ['choice.ids'];
const groups = [
  variants.filter(({ kills }) => !kills.some((id) => apart.includes(id))),
  variants.filter(({ kills }) => kills.some((id) => apart.includes(id))),
];

let server: ReferenceServer;

beforeAll(async () => {
  server = await startReferenceServer(withoutLimits);
});

afterAll(async () => {
  await server.stop();
});

describe('a server that differs wherever the specification is silent', () => {
  it.each(groups.map((group) => ({ group, names: group.map(({ name }) => name).join(', ') })))(
    'fails nothing, is seen to differ, and fails a strict run in each of these: $names',
    async ({ group }) => {
      const looks = group.flatMap(({ kills }) => kills);
      const proxy = await startProxy(server.url, atOnce(group.map(({ fault }) => fault())));
      try {
        const report = await judgeServer(
          runOptions(proxy.url, { ...server.means, wsUrl: toWs(proxy.url), limits: withoutPace }),
        );
        expect(report.checks.filter(({ verdict }) => verdict !== 'passed')).toEqual([]);
        expect(report.exitCode).toBe(0);
        const differing = report.observations
          .filter(({ matchesDecision: asDecided }) => asDecided === false)
          .map(({ id }) => id);
        expect(differing.toSorted()).toEqual(looks.toSorted());

        const strict = await judgeServer(
          runOptions(proxy.url, { ...server.means, wsUrl: toWs(proxy.url), strict: true, limits: withoutPace }),
        );
        const failed = strict.requirements.filter(({ verdict }) => verdict === 'failed');
        const expected = allObservations.filter(({ id }) => looks.includes(id)).flatMap(({ covers }) => covers);
        expect(failed.map(({ requirement }) => requirement.id).toSorted()).toEqual(expected.toSorted());
        expect(strict.exitCode).toBe(1);
      } finally {
        await proxy.close();
      }
    },
    // Whole runs, on a machine that may be busy.
    300_000,
  );

  it('is there for every look', () => {
    const seen = new Set(variants.flatMap(({ kills }) => kills));
    expect(allObservations.map(({ id }) => id).filter((id) => !seen.has(id))).toEqual([]);
  });
});
