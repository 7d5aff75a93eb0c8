import { randomInt } from 'node:crypto';

const firstIdeograph = 0x4e00;

/** Two such texts rarely share three consecutive ideographs, which is the worst case for an index. */
export function randomIdeographs(length: number, kinds = 20_000): string {
  return String.fromCodePoint(...Array.from({ length }, () => firstIdeograph + randomInt(kinds)));
}

/** Makes text as repetitive as Chinese prose: words of one to three characters, a few of them very frequent (Zipf). */
export function makeChineseLikeProse(length: number): string {
  const wordOf = (rank: number) =>
    Array.from({ length: 1 + (rank % 3) }, (_, at) => firstIdeograph + ((rank * 37 + at * 611) % 2_500));
  const points: number[] = [];
  while (points.length < length) points.push(...wordOf(Math.floor(8_000 ** Math.random())));
  return String.fromCodePoint(...points.slice(0, length));
}
