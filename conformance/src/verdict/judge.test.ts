import { describe, expect, it } from 'vitest';
import { noCost } from '../context/budget/cost.ts';
import { exitCodeOf, type FinalVerdict, finalizeOutcomes, isStale, worstVerdictOf } from './judge.ts';
import { allPremises } from './premises.ts';
import type { CheckFinding, CheckOutcome, Verdict } from './report.ts';
import { readRequirements } from './requirements.ts';

const answered = (status: number) => ({
  method: 'GET',
  path: '/api/v1/posts/1',
  token: null,
  contentType: null,
  body: '',
  status,
  answerHeaders: {},
  answer: '',
  curl: '',
});
const finding = (requirement: string, verdict: CheckFinding['verdict'], status = 403): CheckFinding => ({
  requirement,
  verdict,
  reason: `seen of ${requirement}`,
  because: undefined,
  exchange: answered(status),
  script: undefined,
});
const outcome = (id: string, ...findings: readonly CheckFinding[]): CheckOutcome => ({
  id,
  rule: '',
  covers: findings.map(({ requirement }) => requirement),
  findings,
  verdict: findings[0]?.verdict ?? 'passed',
  reason: findings[0]?.reason ?? '',
  exchange: undefined,
  trail: [],
  recordedAt: undefined,
  cost: noCost,
  milliseconds: 0,
});

describe('a requirement that builds on another', () => {
  const works = outcome('works', finding('AP-VISIBLE-008', 'failed'), finding('AP-VISIBLE-001', 'passed'));
  const posts = outcome('posts', finding('AP-POST-017', 'failed'));

  it('is not judged if both fail, in any order of the checks', () => {
    const reason = 'because of AP-POST-017: seen of AP-VISIBLE-008';
    const hidden = { verdict: 'not judged', because: 'AP-POST-017', reason };
    for (const outcomes of [
      [works, posts],
      [posts, works],
    ]) {
      const settled = finalizeOutcomes(outcomes, new Map());
      expect(settled.find(({ id }) => id === 'works')).toMatchObject({ verdict: 'not judged', reason });
      expect(settled.find(({ id }) => id === 'works')?.findings[0]).toMatchObject(hidden);
      expect(settled.find(({ id }) => id === 'posts')).toBe(posts);
    }
  });

  it('fails if only it fails', () => {
    expect(finalizeOutcomes([works], new Map())).toEqual([works]);
    const passed = outcome('posts', finding('AP-POST-017', 'passed'));
    expect(finalizeOutcomes([passed, works], new Map())).toEqual([passed, works]);
  });

  it('also fails if its failure has another cause', () => {
    // The post of a private profile is visible; a wrong error code for unreadable posts cannot be the cause.
    const shown = outcome('works', finding('AP-VISIBLE-008', 'failed', 200));
    expect(finalizeOutcomes([posts, shown], new Map())).toEqual([posts, shown]);
  });

  it('is a tested row of the register, as are its premises, and no row depends on itself', () => {
    const tested = readRequirements().flatMap(({ id, standing }) => (standing === 'tested' ? [id] : []));
    for (const [requirement, premise] of allPremises) {
      expect(tested).toEqual(expect.arrayContaining([requirement, premise]));
      expect(premise).not.toBe(requirement);
    }
  });
});

describe('the verdict of a requirement', () => {
  it('is the worst verdict of its checks', () => {
    expect(worstVerdictOf(['passed', 'not tested', 'failed', 'error'])).toBe('failed');
    expect(worstVerdictOf(['passed', 'error', 'not tested'])).toBe('error');
    expect(worstVerdictOf(['passed', 'not judged', 'not tested'])).toBe('not tested');
    expect(worstVerdictOf(['passed', 'not judged'])).toBe('not judged');
    expect(worstVerdictOf(['passed', 'passed'])).toBe('passed');
    expect(worstVerdictOf([])).toBe('not tested');
  });
});

const ended = (...verdicts: readonly Verdict[]): FinalVerdict[] =>
  verdicts.map((verdict) => ({ verdict, isExpectedToFail: false }));
const expectedToFail = (verdict: Verdict): FinalVerdict => ({ verdict, isExpectedToFail: true });

describe('the exit code', () => {
  it('reports the worst verdict, and never success if nothing passed', () => {
    expect(exitCodeOf(ended('passed', 'not judged', 'not applicable'))).toBe(0);
    expect(exitCodeOf(ended('passed', 'not tested', 'error', 'failed'))).toBe(1);
    expect(exitCodeOf(ended('passed', 'not tested', 'error'))).toBe(2);
    expect(exitCodeOf(ended('passed', 'not tested'))).toBe(3);
    expect(exitCodeOf(ended('not judged', 'not applicable'))).toBe(2);
    expect(exitCodeOf([])).toBe(2);
  });

  it('ignores failures that the baseline expects, but not stale entries', () => {
    expect(exitCodeOf([...ended('passed'), expectedToFail('failed')])).toBe(0);
    expect(exitCodeOf([...ended('failed'), expectedToFail('failed')])).toBe(1);
    expect(exitCodeOf([...ended('passed'), expectedToFail('passed')])).toBe(1);
    expect(exitCodeOf([...ended('passed'), expectedToFail('not applicable')])).toBe(1);
    expect(exitCodeOf([...ended('passed'), expectedToFail('not tested')])).toBe(3);
  });
});

describe('an entry of the baseline', () => {
  it('is stale if its requirement was judged and did not fail', () => {
    const verdicts = ['passed', 'failed', 'error', 'not tested', 'not judged', 'not applicable'] as const;
    expect(verdicts.filter((verdict) => isStale(expectedToFail(verdict)))).toEqual(['passed', 'not applicable']);
    expect(isStale({ verdict: 'passed', isExpectedToFail: false })).toBe(false);
  });
});
