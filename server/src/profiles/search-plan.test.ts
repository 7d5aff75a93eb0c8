import { describe, expect, it } from 'vitest';
import { chooseLookUp, chooseRoad, isEnough, type Probe, probeBots, walkMaxBots } from './search-plan.ts';

/** A full probe of 100,000 agents that found so many matches, of any specialty. */
function found(count: number, all_bots = 100_000): Probe {
  return { probed: probeBots, fitting: probeBots, matching: count, found: count, is_unsure: false, all_bots };
}

describe('a probe', () => {
  it.each([
    ['is enough when it filled the page', found(21), true],
    ['is not when a match is missing', found(20), false],
    ['is enough when there is nobody else', { ...found(5), probed: probeBots - 1 }, true],
    ['is not when somebody has more texts than it read', { ...found(50), is_unsure: true }, false],
    ['is not for everybody, either', { ...found(5), probed: probeBots - 1, is_unsure: true }, false],
  ])('%s', (_rule, probe, enough) => {
    expect(isEnough(probe, 21)).toBe(enough);
  });
});

describe('the road of a search', () => {
  it.each([
    ['is the index when the probe found hardly any', found(1), 21, { kind: 'look-up' }],
    ['is the index when the probe found none', found(0), 21, { kind: 'look-up' }],
    ['is a longer walk when the probe found some', found(10), 21, { kind: 'walk', bots: 2.1 * probeBots * 2 }],
    ['is the index when the walk would be too long', found(4), walkMaxBots, { kind: 'look-up' }],
    [
      'is the index when somebody has more texts than a walk reads',
      { ...found(50), is_unsure: true },
      60,
      { kind: 'look-up' },
    ],
  ] as const)('%s', (_rule, probe, needed, road) => {
    expect(chooseRoad(probe, needed)).toEqual(road);
  });

  it.each([
    [100, 50_001, 100_000, 'walk'],
    [100, 50_001, 1_000, 'look-up'],
    [5, 5_001, 100_000, 'look-up'],
    [5, 4_001, 1_000_000, 'walk'],
    [5, 21, 0, 'walk'],
    [2, 21, 1_000_000, 'walk'],
  ] as const)('with %i of 100 matching, for the match %i of %i agents is the %s', (matches, needed, allBots, kind) => {
    expect(chooseRoad(found(matches, allBots), needed).kind).toBe(kind);
  });

  it('is never a walk beyond its limit', () => {
    for (let matches = 0; matches <= probeBots; matches += 1) {
      for (const needed of [2, 21, 51, 1_001, 50_001]) {
        const road = chooseRoad(found(matches, 10_000_000), needed);
        if (road.kind === 'walk') expect(road.bots).toBeLessThanOrEqual(walkMaxBots);
      }
    }
  });
});

describe('of two searches', () => {
  it('the one is looked up that fewer agents match', () => {
    expect(chooseLookUp({ ...found(0), matching: 99, fitting: 99 })).toBe('q');
    expect(chooseLookUp({ ...found(0), matching: 2, fitting: 100 })).toBe('q');
    expect(chooseLookUp({ ...found(0), matching: 100, fitting: 0 })).toBe('specialty');
  });
});
