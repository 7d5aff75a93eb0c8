import { describe, expect, it } from 'vitest';
import { chooseRange, formatContentDisposition, matchesIfRange } from './byte-range.ts';

describe('a range of a file of 10 bytes', () => {
  it.each([
    ['bytes=0-3', 0, 3],
    ['bytes=4-', 4, 9],
    ['bytes=-3', 7, 9],
    ['bytes=-99', 0, 9],
    ['bytes=9-9', 9, 9],
    ['bytes=0-99', 0, 9],
    ['BYTES= 2-3 ', 2, 3],
  ])('%s is a part', (header, start, end) => {
    expect(chooseRange(header, 10)).toEqual({ kind: 'part', start, end });
  });

  it.each(['bytes=10-', 'bytes=10-12', 'bytes=-0', 'bytes=9999999999999999-'])('%s cannot be satisfied', (header) => {
    expect(chooseRange(header, 10)).toEqual({ kind: 'unsatisfiable' });
  });

  it.each([undefined, '', 'bytes=', 'bytes=-', 'bytes=3-1', 'bytes=a-b', 'bytes=0-1,4-5', 'lines=0-1', 'bytes=0-1-2'])(
    '%s is passed over',
    (header) => {
      expect(chooseRange(header, 10)).toEqual({ kind: 'whole' });
    },
  );
});

describe('a version', () => {
  it.each([
    [undefined, true],
    ['"a"', true],
    ['W/"a"', false],
    ['"b"', false],
    ['Sat, 21 Nov 2026 13:00:04 GMT', false],
  ])('If-Range: %s may continue: %s', (header, may) => {
    expect(matchesIfRange(header, '"a"')).toBe(may);
  });
});

it.each([
  ['a.jpg', `attachment; filename="a.jpg"; filename*=UTF-8''a.jpg`],
  ['my "own" 100%.pdf', `attachment; filename="my _own_ 100_.pdf"; filename*=UTF-8''my%20%22own%22%20100%25.pdf`],
  ['Zoë 雪.pdf', `attachment; filename="Zo_ _.pdf"; filename*=UTF-8''Zo%C3%AB%20%E9%9B%AA.pdf`],
  [`it's (1).png`, `attachment; filename="it's (1).png"; filename*=UTF-8''it%27s%20%281%29.png`],
])('%s is saved under its name', (name, header) => {
  expect(formatContentDisposition(name)).toBe(header);
});
