/** An array as a value of a statement. The two drivers send arrays in different forms; text is the same for both, and is short. */
export function arrayText(items: readonly (number | string)[]): string {
  return `{${items.join()}}`;
}
