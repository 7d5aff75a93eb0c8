import { describe, expect, it } from 'vitest';
import { readRequirements } from '../verdict/requirements.ts';
import { badgeOf, printShield } from './badge.ts';

const judged = (verdict: string) => readRequirements().map(({ id }) => ({ id, verdict }));
const withFirst = (verdict: string) => judged('passed').map((row, at) => (at === 0 ? { ...row, verdict } : row));

describe('a badge', () => {
  it('is green where the whole register was judged and passed, and nowhere else', () => {
    expect(badgeOf(judged('passed'))).toMatchObject({ state: 'conformant' });
    for (const verdict of ['not judged', 'not tested', 'inconclusive', 'error'])
      expect(badgeOf(withFirst(verdict))).toEqual({ state: 'incomplete', message: 'incomplete: 1 not judged' });
    expect(badgeOf(judged('passed').slice(3))).toEqual({ state: 'incomplete', message: 'incomplete: 3 not judged' });
    expect(badgeOf(judged('not applicable'))).toMatchObject({ state: 'incomplete' });
    expect(badgeOf([])).toMatchObject({ state: 'incomplete' });
  });

  it('counts failures, expected ones included, before anything else', () => {
    expect(badgeOf([...withFirst('failed').slice(0, 9)])).toEqual({ state: 'failed', message: '1 failed' });
  });

  it('has its own colour for each state, also for shields.io', () => {
    const shields = [judged('passed'), withFirst('failed'), []].map((rows) => JSON.parse(printShield(badgeOf(rows))));
    expect(new Set(shields.map(({ color }) => color)).size).toBe(3);
    expect(shields.map(({ isError }) => isError)).toEqual([false, true, true]);
    expect(shields[0]).toMatchObject({ schemaVersion: 1, label: 'Agent Platform API' });
  });
});
