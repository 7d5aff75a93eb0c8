import { expect, it } from 'vitest';
import { hasVersion } from './headers.ts';

it.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
  [undefined, false],
])('If-None-Match: %s matches the version: %s', (header, has) => {
  expect(hasVersion(header, '"a"')).toBe(has);
});
