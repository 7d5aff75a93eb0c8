import { isThoroughRun } from '@agent-platform/testing';
import { describe, expect, it } from 'vitest';
import { startReferenceServerForTests } from '../../testing/expect-detected.ts';
import { combineFaults, type FaultyServer } from '../../testing/faults.ts';
import { variantGroups } from '../../testing/mutants/variants.ts';
import { startProxy, toStreamUrl } from '../../testing/proxy.ts';
import { allHooksOf } from '../../testing/reference-server.ts';
import { timeRequirements } from '../../testing/time-requirements.ts';
import { allChecks } from '../areas/all-checks.ts';
import { allObservations } from '../areas/all-observations.ts';
import { unpacedLimits } from '../context/budget/limits.ts';
import { runOptions } from '../context/options.ts';
import { deriveOutcome, exitCodeOf } from '../verdict/judge.ts';
import type { Verdict } from '../verdict/report.ts';
import { judgeServer } from './suite.ts';

const server = startReferenceServerForTests({ PLATFORM_CLOCK: 'test' });
// This variant only reports another token lifetime. The proxy cannot make tokens expire at that time.
const tellsLifetime = (group: readonly FaultyServer[]) => group.some(({ name }) => name === 'give tokens for a day');

describe('a server that differs wherever decisions permit it', () => {
  it.each(
    (isThoroughRun ? variantGroups : variantGroups.slice(0, 1)).map((group) => ({
      group,
      names: group.map(({ name }) => name).join(', '),
    })),
  )('fails nothing, is observed to differ, and fails a strict run in each of these: $names', async ({ group }) => {
    const observations = group.flatMap(({ kills }) => kills);
    const proxy = await startProxy(server().url, combineFaults(group.map(({ fault }) => fault())));
    try {
      const hooks = allHooksOf(server());
      const scope = { strict: true, limits: unpacedLimits, skip: tellsLifetime(group) ? timeRequirements : [] };
      const report = await judgeServer(runOptions(proxy.url, { hooks, wsUrl: toStreamUrl(proxy.url), ...scope }));
      const unmet = ({ verdict }: { readonly verdict: Verdict }) => !['passed', 'not judged'].includes(verdict);
      expect(report.checks.filter(unmet)).toEqual([]);
      const differing = report.observations
        .filter(({ matchesDecision }) => matchesDecision === false)
        .map(({ id }) => id);
      expect(differing.toSorted()).toEqual(observations.toSorted());

      const failed = report.requirements.filter(({ verdict }) => verdict === 'failed');
      const expected = allObservations.filter(({ id }) => observations.includes(id)).flatMap(({ covers }) => covers);
      expect(failed.map(({ requirement }) => requirement.id).toSorted()).toEqual(expected.toSorted());
      expect(report.exitCode).toBe(1);

      // `strict` affects only the verdicts, not the findings.
      const findings = {
        outcomes: report.checks,
        observations: report.observations,
        allChecks,
        allObservations,
        baseline: new Map(),
        leftOut: new Map(),
      };
      const lenient = report.requirements.map(({ requirement }) =>
        deriveOutcome(requirement, { ...findings, strict: false, incomplete: undefined }),
      );
      expect(lenient.filter((outcome) => unmet(outcome) && outcome.verdict !== 'not applicable')).toEqual([]);
      expect(exitCodeOf(lenient.map(({ verdict }) => ({ verdict, isExpectedToFail: false })))).toBe(0);
    } finally {
      await proxy.close();
    }
  });

  it('exists for every observation', () => {
    const seen = new Set(variantGroups.flat().flatMap(({ kills }) => kills));
    expect(allObservations.map(({ id }) => id).filter((id) => !seen.has(id))).toEqual([]);
  });
});
