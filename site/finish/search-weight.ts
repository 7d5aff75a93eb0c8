const weights: readonly (readonly [path: RegExp, weight: number])[] = [
  [/^(start|guides)\b/, 2],
  [/^explanation\/(decisions|architecture|benchmarks|contributing)/, 0.5],
  [/^explanation\b/, 1],
  [/^reference\/(http|cli\/commands|sdk\/|changelog)/, 0.3],
  [/^reference\b/, 0.7],
];

/** How much the words of a page count in the search: readers expect a guide before an operation. */
export function searchWeight(path: string): number {
  return weights.find(([pattern]) => pattern.test(path))?.[1] ?? 1;
}
