import { describe, expect, it } from 'vitest';
import { allPremises, failedPremiseOf } from '../context/claims/premises.ts';
import { noCost } from '../context/cost.ts';
import { pointToPremises } from './conclude.ts';
import type { CheckFinding, CheckOutcome } from './report.ts';
import { readRequirements } from './requirements.ts';

const finding = (requirement: string, verdict: CheckFinding['verdict']): CheckFinding => ({
  ...{ requirement, verdict, reason: `seen of ${requirement}` },
  ...{ because: undefined, exchange: undefined, script: undefined },
});
const outcome = (id: string, ...findings: readonly CheckFinding[]): CheckOutcome => ({
  ...{ id, rule: '', covers: findings.map(({ requirement }) => requirement), findings },
  ...{ verdict: findings[0]?.verdict ?? 'passed', reason: findings[0]?.reason ?? '' },
  ...{ exchange: undefined, trail: [], recordedAt: undefined, cost: noCost, milliseconds: 0 },
});

describe('a requirement that builds on another', () => {
  const works = outcome('works', finding('AP-VISIBLE-008', 'failed'), finding('AP-VISIBLE-001', 'passed'));
  const profile = outcome('profile', finding('AP-VISIBLE-007', 'failed'));

  it('is not judged where both fail, in any order of the checks', () => {
    const reason = 'because of AP-VISIBLE-007: seen of AP-VISIBLE-008';
    const hidden = { verdict: 'not judged', because: 'AP-VISIBLE-007', reason };
    for (const outcomes of [
      [works, profile],
      [profile, works],
    ]) {
      const settled = pointToPremises(outcomes);
      expect(settled.find(({ id }) => id === 'works')).toMatchObject({ verdict: 'not judged', reason });
      expect(settled.find(({ id }) => id === 'works')?.findings[0]).toMatchObject(hidden);
      expect(settled.find(({ id }) => id === 'profile')).toBe(profile);
    }
  });

  it('fails by itself', () => {
    expect(pointToPremises([works])).toEqual([works]);
    const passed = outcome('profile', finding('AP-VISIBLE-007', 'passed'));
    expect(pointToPremises([passed, works])).toEqual([passed, works]);
  });

  it('is a tested row of the register, as are its premises, and none builds on itself', () => {
    const tested = readRequirements().flatMap(({ id, standing }) => (standing === 'tested' ? [id] : []));
    for (const [requirement, premises] of allPremises) {
      expect(tested).toEqual(expect.arrayContaining([requirement, ...premises]));
      expect(failedPremiseOf(requirement, new Set(tested))).not.toBe(requirement);
    }
  });
});
