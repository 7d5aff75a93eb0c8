/** An array as a value of a statement. The drivers send arrays in different forms, and one quotes each number; this text is the same for both. */
export function arrayText(items: readonly (number | string)[]): string {
  return `{${items.join()}}`;
}
