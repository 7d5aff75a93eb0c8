import { describe, expect, it } from 'vitest';
import { chooseLookUp, chooseRoad, type Looked, probeBots, walkMaxBots } from './search-road.ts';

const stranger: Looked = { id: '-', fits: true, matches: false, has_more: false };

/** A full probe whose first agents are these. */
function probe(count: number, seen: Partial<Looked>): Looked[] {
  return Array.from({ length: probeBots }, (_, index) =>
    index < count ? { ...stranger, ...seen, id: `${index}` } : stranger,
  );
}
const matching = (count: number) => probe(count, { matches: true });
const ids = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);

describe('the road of a search', () => {
  it.each([
    ['ends with the probe when that filled the page', matching(30), 21, { kind: 'walked', ids: ids(21) }],
    ['ends with the probe when there is nobody else', matching(5).slice(0, 99), 21, { kind: 'walked', ids: ids(5) }],
    ['is the index when the probe found hardly any', matching(3), 21, { kind: 'look-up' }],
    ['is the index when the probe found none', matching(0), 21, { kind: 'look-up' }],
    ['is a longer walk when the probe found some', matching(10), 21, { kind: 'walk', bots: 2.1 * probeBots * 2 }],
    ['is the index when the walk would be too long', matching(4), walkMaxBots, { kind: 'look-up' }],
    [
      'is the index when somebody has more texts than a walk reads',
      [...matching(50), { ...stranger, has_more: true }],
      21,
      { kind: 'look-up' },
    ],
    [
      'does not care for the texts of those whose specialty is another one',
      [...matching(50), { ...stranger, fits: false, has_more: true }],
      21,
      { kind: 'walked', ids: ids(21) },
    ],
    ['finds nobody whose specialty is another one', probe(50, { matches: true, fits: false }), 21, { kind: 'look-up' }],
  ] as const)('%s', (_rule, probed, needed, road) => {
    expect(chooseRoad(probed, needed, 100_000)).toEqual(road);
  });

  it.each([
    [100, 50_001, 100_000, 'walk'],
    [100, 50_001, 1_000, 'look-up'],
    [5, 5_001, 100_000, 'look-up'],
    [5, 4_001, 1_000_000, 'walk'],
    [5, 21, 0, 'walk'],
  ] as const)('with %i of 100 matching, for the match %i of %i agents is the %s', (matches, needed, allBots, kind) => {
    expect(chooseRoad(matching(Math.min(matches, 99)), needed, allBots).kind).toBe(kind);
  });

  it('is never a walk beyond its limit', () => {
    for (let matches = 0; matches <= probeBots; matches += 1) {
      for (const needed of [2, 21, 51, 1_001, 50_001]) {
        const road = chooseRoad(matching(matches), needed, 10_000_000);
        if (road.kind === 'walk') expect(road.bots).toBeLessThanOrEqual(walkMaxBots);
      }
    }
  });
});

describe('of two searches', () => {
  it('the one is looked up that fewer agents match', () => {
    expect(chooseLookUp(probe(probeBots, { matches: true, fits: true }).with(0, { ...stranger, fits: false }))).toBe(
      'q',
    );
    expect(chooseLookUp(matching(2))).toBe('q');
    expect(chooseLookUp(probe(probeBots, { matches: true, fits: false }))).toBe('specialty');
  });
});
