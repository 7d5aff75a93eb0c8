import { describe, expect, it } from 'vitest';
import {
  chooseIndexedTerm,
  chooseSearchPlan,
  coversPage,
  isPossiblyRare,
  isSampleTooSmall,
  largeSampleBots,
  type SearchSample,
  scanMaxBots,
  searchSampleSize,
} from './search-plan.ts';

/** Returns a full sample of 100,000 agents with `count` matches and without a specialty filter. */
function found(count: number, all_bots = 100_000): SearchSample {
  return {
    sampled: searchSampleSize,
    fitting: searchSampleSize,
    matching: count,
    found: count,
    is_unsure: false,
    all_bots,
  };
}

describe('a sample', () => {
  it.each([
    ['is enough when it filled the page', found(21), true],
    ['is not when a match is missing', found(20), false],
    ['is enough when no other agents exist', { ...found(5), sampled: searchSampleSize - 1 }, true],
    ['is not when an agent has more texts than it read', { ...found(50), is_unsure: true }, false],
    ['is not enough for all agents, either', { ...found(5), sampled: searchSampleSize - 1, is_unsure: true }, false],
  ])('%s', (_rule, sample, enough) => {
    expect(coversPage(sample, 21)).toBe(enough);
  });

  it.each([
    ['few of many agents', found(1), true],
    ['none of many agents', found(0), true],
    ['few of few agents', found(1, 20_000), false],
    ['enough', found(2), false],
    ['few, and an agent with more texts than it read', { ...found(1), is_unsure: true }, false],
    ['few that have the specialty', { ...found(50), fitting: 1 }, true],
  ])('that found %s', (_found, sample, isFollowed) => {
    expect(isSampleTooSmall(sample)).toBe(isFollowed);
  });

  it('is followed by the index if few texts are expected to have the grams, or no number is known', () => {
    expect([0, 14_999, 15_001].map(isPossiblyRare)).toEqual([true, true, false]);
  });

  it('that is larger decides between scan and index when the first one cannot', () => {
    const larger = { ...found(0, 1_000_000), sampled: largeSampleBots, fitting: largeSampleBots };
    expect(chooseSearchPlan({ ...larger, matching: 6, found: 6 }, 21)).toEqual({ kind: 'scan', bots: 7_000 });
    expect(chooseSearchPlan({ ...larger, matching: 2, found: 2 }, 21)).toEqual({ kind: 'index' });
  });
});

describe('the plan of a search', () => {
  it.each([
    ['is the index when the sample found hardly any', found(1), 21, { kind: 'index' }],
    ['is the index when the sample found none', found(0), 21, { kind: 'index' }],
    ['is a longer scan when the sample found some', found(10), 21, { kind: 'scan', bots: 2.1 * searchSampleSize * 2 }],
    ['is the index when the scan would be too long', found(4), scanMaxBots, { kind: 'index' }],
    [
      'is the index when an agent has more texts than a scan reads',
      { ...found(50), is_unsure: true },
      60,
      { kind: 'index' },
    ],
  ] as const)('%s', (_rule, sample, needed, plan) => {
    expect(chooseSearchPlan(sample, needed)).toEqual(plan);
  });

  it.each([
    [100, 50_001, 100_000, 'scan'],
    [100, 50_001, 1_000, 'index'],
    [5, 5_001, 100_000, 'index'],
    [5, 4_001, 1_000_000, 'scan'],
    [5, 21, 0, 'scan'],
    [2, 21, 1_000_000, 'scan'],
  ] as const)('with %i of 100 matching, for match %i among %i agents is the %s', (matches, needed, allBots, kind) => {
    expect(chooseSearchPlan(found(matches, allBots), needed).kind).toBe(kind);
  });

  it('treats two terms as independent if the sample has few agents that match both', () => {
    const both = { ...found(0, 1_000_000), fitting: 20, matching: 5 };
    expect(chooseSearchPlan(both, 21)).toEqual({ kind: 'scan', bots: 4_200 });
    expect(chooseSearchPlan({ ...both, fitting: 1 }, 21)).toEqual({ kind: 'index' });
  });

  it('is never a scan above the limit', () => {
    for (let matches = 0; matches <= searchSampleSize; matches += 1) {
      for (const needed of [2, 21, 51, 1_001, 50_001]) {
        const plan = chooseSearchPlan(found(matches, 10_000_000), needed);
        if (plan.kind === 'scan') expect(plan.bots).toBeLessThanOrEqual(scanMaxBots);
      }
    }
  });
});

describe('of two searches', () => {
  it('the index finds the term that fewer agents match', () => {
    expect(chooseIndexedTerm({ ...found(0), matching: 99, fitting: 99 })).toBe('q');
    expect(chooseIndexedTerm({ ...found(0), matching: 2, fitting: 100 })).toBe('q');
    expect(chooseIndexedTerm({ ...found(0), matching: 100, fitting: 0 })).toBe('specialty');
  });
});
