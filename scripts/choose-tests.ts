import { posix } from 'node:path';

/** All paths are relative to the root of the repository. */
export interface TestSelectionInput {
  readonly changed: readonly string[];
  /** The files that each file imports. */
  readonly imports: ReadonlyMap<string, readonly string[]>;
  /** The text of each test; it shows which files the test reads without importing them. */
  readonly tests: ReadonlyMap<string, string>;
  readonly durationsMs: ReadonlyMap<string, number>;
  readonly budgetMs: number;
}

const unknownDurationMs = 3_000;

/**
 * Chooses the tests affected by a change, the closest first, until their time budget is used up. A changed test is
 * closest. Then follow tests that import a changed file directly or name a file that cannot be imported, then tests
 * that import it through one other file, and so on. The tests in `left` remain for `npm test`.
 */
export function chooseTests(situation: TestSelectionInput) {
  const distances = measureDistances(situation);
  const durationOf = (test: string) => situation.durationsMs.get(test) ?? unknownDurationMs;
  const byDistance = [...situation.tests.keys()]
    .filter((test) => distances.has(test))
    .toSorted((a, b) => (distances.get(a) ?? 0) - (distances.get(b) ?? 0) || durationOf(a) - durationOf(b));
  const chosen: string[] = [];
  const left: string[] = [];
  let leftMs = situation.budgetMs;
  for (const test of byDistance) {
    const fits = durationOf(test) <= leftMs;
    (fits ? chosen : left).push(test);
    if (fits) leftMs -= durationOf(test);
  }
  return { chosen, left };
}

function measureDistances({ changed, imports, tests }: TestSelectionInput): ReadonlyMap<string, number> {
  const distances = new Map(changed.map((file) => [file, 0]));
  for (const [test, text] of tests) {
    const isNamed = changed.some((file) => !imports.has(file) && text.includes(posix.basename(file)));
    if (isNamed && !distances.has(test)) distances.set(test, 1);
  }
  for (let distance = 1, grown = true; grown; distance += 1) {
    const before = distances.size;
    for (const [file, imported] of imports) {
      if (!distances.has(file) && imported.some((path) => distances.get(path) === distance - 1)) {
        distances.set(file, distance);
      }
    }
    grown = distances.size > before;
  }
  return distances;
}
