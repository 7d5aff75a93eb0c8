/** For an even number of values, returns the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('An empty list has no median.');
  const sorted = values.toSorted((one, other) => one - other);
  const above = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const below = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
  return (above + below) / 2;
}

export function summarizeValues(values: readonly number[]): { value: number; range: [number, number] } {
  return { value: median(values), range: [Math.min(...values), Math.max(...values)] };
}
