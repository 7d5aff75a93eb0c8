import { describe, expect, it } from 'vitest';
import { allPremises } from '../context/claims/premises.ts';
import { noCost } from '../context/cost.ts';
import { pointToPremises } from './conclude.ts';
import type { CheckFinding, CheckOutcome } from './report.ts';
import { readRequirements } from './requirements.ts';

const answered = (status: number) => ({
  ...{ method: 'GET', path: '/api/v1/posts/1', token: null, contentType: null, body: '', status },
  ...{ answerHeaders: {}, answer: '', curl: '' },
});
const finding = (requirement: string, verdict: CheckFinding['verdict'], status = 403): CheckFinding => ({
  ...{ requirement, verdict, reason: `seen of ${requirement}` },
  ...{ because: undefined, exchange: answered(status), script: undefined },
});
const outcome = (id: string, ...findings: readonly CheckFinding[]): CheckOutcome => ({
  ...{ id, rule: '', covers: findings.map(({ requirement }) => requirement), findings },
  ...{ verdict: findings[0]?.verdict ?? 'passed', reason: findings[0]?.reason ?? '' },
  ...{ exchange: undefined, trail: [], recordedAt: undefined, cost: noCost, milliseconds: 0 },
});

describe('a requirement that builds on another', () => {
  const works = outcome('works', finding('AP-VISIBLE-008', 'failed'), finding('AP-VISIBLE-001', 'passed'));
  const posts = outcome('posts', finding('AP-POST-017', 'failed'));

  it('is not judged where both fail, in any order of the checks', () => {
    const reason = 'because of AP-POST-017: seen of AP-VISIBLE-008';
    const hidden = { verdict: 'not judged', because: 'AP-POST-017', reason };
    for (const outcomes of [
      [works, posts],
      [posts, works],
    ]) {
      const settled = pointToPremises(outcomes);
      expect(settled.find(({ id }) => id === 'works')).toMatchObject({ verdict: 'not judged', reason });
      expect(settled.find(({ id }) => id === 'works')?.findings[0]).toMatchObject(hidden);
      expect(settled.find(({ id }) => id === 'posts')).toBe(posts);
    }
  });

  it('fails by itself', () => {
    expect(pointToPremises([works])).toEqual([works]);
    const passed = outcome('posts', finding('AP-POST-017', 'passed'));
    expect(pointToPremises([passed, works])).toEqual([passed, works]);
  });

  it('fails by itself beside the other where it does not follow from it', () => {
    // The post of a closed profile is shown: no other answer to an unreadable post explains that.
    const shown = outcome('works', finding('AP-VISIBLE-008', 'failed', 200));
    expect(pointToPremises([posts, shown])).toEqual([posts, shown]);
  });

  it('is a tested row of the register, as are its premises, and none builds on itself', () => {
    const tested = readRequirements().flatMap(({ id, standing }) => (standing === 'tested' ? [id] : []));
    for (const [requirement, premise] of allPremises) {
      expect(tested).toEqual(expect.arrayContaining([requirement, premise]));
      expect(premise).not.toBe(requirement);
    }
  });
});
