import { describe, expect, it } from 'vitest';
import { type Figure, isTargetReached } from './measure.ts';

describe('a figure', () => {
  const figure: Figure = { name: 'ratio', value: 0.5, unit: '' };

  it('without a target always counts as reached', () => {
    expect(isTargetReached(figure)).toBe(true);
  });

  it.each([
    [{ atLeast: 0.5 }, true],
    [{ atLeast: 0.51 }, false],
    [{ below: 0.51 }, true],
    [{ below: 0.5 }, false],
  ] as const)('of 0.5 with the target %j: %s', (target, reached) => {
    expect(isTargetReached({ ...figure, target })).toBe(reached);
  });
});
