import { expect, it } from 'vitest';
import { matchesEtag } from './headers.ts';

it.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
  [undefined, false],
])('If-None-Match: %s matches the version: %s', (header, has) => {
  expect(matchesEtag(header, '"a"')).toBe(has);
});
