import { describe, expect, it } from 'vitest';
import { judgeStub } from './judge-stub.ts';

// A sample of stub servers that takes a few seconds; `node conformance/testing/stubs/main.ts` runs all of them.
const sample = [
  'always 200 null',
  'always 503',
  'redirects in a circle',
  '101 to everything',
  'JSON of 100,000 levels',
  'silence after the upgrade',
  'invalid UTF-8',
  'not HTTP',
  'resets in the middle of a body',
  'a content-length that is too small',
  'headers of a megabyte',
];

describe('a stub server', () => {
  it.each(sample)('passes no requirement and ends no run early: %s', async (name) => {
    const { faults } = await judgeStub(name);

    expect(faults).toEqual([]);
  });
});
