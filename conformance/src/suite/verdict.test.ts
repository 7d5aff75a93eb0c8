import { describe, expect, it } from 'vitest';
import { type Ending, exitCodeOf, isStale, type Verdict, worstOf } from './verdict.ts';

describe('the verdict of a requirement', () => {
  it('is the worst of its checks', () => {
    expect(worstOf(['passed', 'not tested', 'failed', 'error'])).toBe('failed');
    expect(worstOf(['passed', 'error', 'not tested'])).toBe('error');
    expect(worstOf(['passed', 'not judged', 'not tested'])).toBe('not tested');
    expect(worstOf(['passed', 'not judged'])).toBe('not judged');
    expect(worstOf(['passed', 'passed'])).toBe('passed');
    expect(worstOf([])).toBe('not tested');
  });
});

const ended = (...verdicts: readonly Verdict[]): Ending[] =>
  verdicts.map((verdict) => ({ verdict, isExpectedToFail: false }));
const expectedToFail = (verdict: Verdict): Ending => ({ verdict, isExpectedToFail: true });

describe('the exit code', () => {
  it('tells the worst that happened, and never success when nothing passed', () => {
    expect(exitCodeOf(ended('passed', 'not judged', 'not applicable'))).toBe(0);
    expect(exitCodeOf(ended('passed', 'not tested', 'error', 'failed'))).toBe(1);
    expect(exitCodeOf(ended('passed', 'not tested', 'error'))).toBe(2);
    expect(exitCodeOf(ended('passed', 'not tested'))).toBe(3);
    expect(exitCodeOf(ended('not judged', 'not applicable'))).toBe(2);
    expect(exitCodeOf([])).toBe(2);
  });

  it('forgives what the baseline expects, and not what the baseline expects in vain', () => {
    expect(exitCodeOf([...ended('passed'), expectedToFail('failed')])).toBe(0);
    expect(exitCodeOf([...ended('failed'), expectedToFail('failed')])).toBe(1);
    expect(exitCodeOf([...ended('passed'), expectedToFail('passed')])).toBe(1);
    expect(exitCodeOf([...ended('passed'), expectedToFail('not applicable')])).toBe(1);
    expect(exitCodeOf([...ended('passed'), expectedToFail('not tested')])).toBe(3);
  });
});

describe('an entry of the baseline', () => {
  it('is stale once its requirement was judged and did not fail', () => {
    const verdicts = ['passed', 'failed', 'error', 'not tested', 'not judged', 'not applicable'] as const;
    expect(verdicts.filter((verdict) => isStale(expectedToFail(verdict)))).toEqual(['passed', 'not applicable']);
    expect(isStale({ verdict: 'passed', isExpectedToFail: false })).toBe(false);
  });
});
