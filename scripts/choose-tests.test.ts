import { describe, expect, it } from 'vitest';
import { chooseTests, type TestSelectionInput } from './choose-tests.ts';

const situation: TestSelectionInput = {
  changed: [],
  imports: new Map([
    ['server/src/price.ts', []],
    ['server/src/order.ts', ['server/src/price.ts']],
    ['server/src/price.test.ts', ['server/src/price.ts']],
    ['server/src/order.test.ts', ['server/src/order.ts']],
    ['server/src/wallet.test.ts', []],
    ['docs/documents.test.ts', []],
  ]),
  tests: new Map([
    ['server/src/order.test.ts', ''],
    ['server/src/price.test.ts', ''],
    ['server/src/wallet.test.ts', ''],
    ['docs/documents.test.ts', `read('README.md')`],
  ]),
  durationsMs: new Map([
    ['server/src/price.test.ts', 1_000],
    ['server/src/order.test.ts', 2_000],
  ]),
  budgetMs: 60_000,
};
const choose = (changes: Partial<TestSelectionInput>) => chooseTests({ ...situation, ...changes });

describe('the choice of tests', () => {
  it('is a changed test itself', () => {
    expect(choose({ changed: ['server/src/wallet.test.ts'] }).chosen).toEqual(['server/src/wallet.test.ts']);
  });

  it('is every test that imports a changed file, the closest first', () => {
    expect(choose({ changed: ['server/src/price.ts'] })).toEqual({
      chosen: ['server/src/price.test.ts', 'server/src/order.test.ts'],
      left: [],
    });
  });

  it('is every test that names a changed file which cannot be imported', () => {
    expect(choose({ changed: ['README.md'] }).chosen).toEqual(['docs/documents.test.ts']);
  });

  it('is nothing when nothing changed', () => {
    expect(choose({})).toEqual({ chosen: [], left: [] });
  });

  it('omits tests that do not fit into the time, and reports them', () => {
    expect(choose({ changed: ['server/src/price.ts'], budgetMs: 2_500 })).toEqual({
      chosen: ['server/src/price.test.ts'],
      left: ['server/src/order.test.ts'],
    });
  });

  it('fills the time with quicker tests at a greater distance', () => {
    const durationsMs = new Map([['server/src/price.test.ts', 9_000]]);

    expect(choose({ changed: ['server/src/price.ts'], budgetMs: 5_000, durationsMs })).toEqual({
      chosen: ['server/src/order.test.ts'],
      left: ['server/src/price.test.ts'],
    });
  });

  it('assumes an ordinary duration for a test that never ran here', () => {
    expect(choose({ changed: ['server/src/wallet.test.ts'], budgetMs: 2_900 }).left).toHaveLength(1);
    expect(choose({ changed: ['server/src/wallet.test.ts'], budgetMs: 3_000 }).chosen).toHaveLength(1);
  });
});
