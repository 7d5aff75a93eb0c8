import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { exitCodeMeanings, exitCodeOfStatus, exitCodes } from './exit-codes.ts';

it.each([
  [400, 6],
  [401, 3],
  [403, 3],
  [404, 4],
  [405, 6],
  [408, 8],
  [409, 5],
  [413, 6],
  [415, 6],
  [429, 7],
  [431, 6],
  [500, 8],
  [503, 8],
])('maps the status %i to the exit code %i', (status, exitCode) => {
  expect(exitCodeOfStatus(status)).toBe(exitCode);
});

it('has one code and one meaning for every class, as documented', () => {
  const codes = Object.values(exitCodes);
  expect(new Set(codes).size).toBe(codes.length);
  expect(exitCodeMeanings.map(([code]) => code)).toEqual(codes);

  const documented = readFileSync(new URL('../../../cli/docs/exit-codes.md', import.meta.url), 'utf8');
  const rows = [...documented.matchAll(/^\| (\d+) +\| (.*?) +\|/gm)].map(([, code, meaning]) => [
    Number(code),
    meaning,
  ]);
  expect(rows).toEqual(exitCodeMeanings);
});
