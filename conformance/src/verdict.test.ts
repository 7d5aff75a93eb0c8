import { describe, expect, it } from 'vitest';
import { exitCodeOf, worstOf } from './verdict.ts';

describe('the verdict of a requirement', () => {
  it('is the worst of its checks', () => {
    expect(worstOf(['passed', 'not tested', 'failed', 'error'])).toBe('failed');
    expect(worstOf(['passed', 'error', 'not tested'])).toBe('error');
    expect(worstOf(['passed', 'not tested'])).toBe('not tested');
    expect(worstOf(['passed', 'passed'])).toBe('passed');
    expect(worstOf([])).toBe('not tested');
  });
});

describe('the exit code', () => {
  it('tells the worst that happened, and never success when nothing passed', () => {
    expect(exitCodeOf(['passed', 'not applicable'])).toBe(0);
    expect(exitCodeOf(['passed', 'not tested', 'error', 'failed'])).toBe(1);
    expect(exitCodeOf(['passed', 'not tested', 'error'])).toBe(2);
    expect(exitCodeOf(['passed', 'not tested'])).toBe(3);
    expect(exitCodeOf(['not applicable'])).toBe(2);
    expect(exitCodeOf([])).toBe(2);
  });
});
