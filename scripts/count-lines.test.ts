import { expect, it } from 'vitest';
import { countLines, findExceededCeilings } from './count-lines.ts';

it('counts source, tests and apparatus of each package', () => {
  const files = new Map([
    ['server/src/a.ts', 'one\ntwo\n'],
    ['server/src/a.test.ts', 'one\n'],
    ['server/testing/b.ts', 'one\n'],
    ['vitest.config.ts', 'one\n'],
  ]);

  expect(Object.fromEntries(countLines(files))).toEqual({
    server: {
      source: { lines: 2, characters: 8 },
      tests: { lines: 1, characters: 4 },
      apparatus: { lines: 1, characters: 4 },
    },
    root: {
      source: { lines: 1, characters: 4 },
      tests: { lines: 0, characters: 0 },
      apparatus: { lines: 0, characters: 0 },
    },
  });
});

it('names packages above their ceiling, and those without one', () => {
  const lines = new Map([
    ['server', 10],
    ['sdk', 11],
    ['new', 1],
  ]);

  expect(findExceededCeilings(lines, { server: 10, sdk: 10 })).toEqual([
    'sdk has 11 lines, at most 10: remove 1 (scripts/line-ceilings.json).',
    'new has no ceiling: add it to scripts/line-ceilings.json.',
  ]);
});
