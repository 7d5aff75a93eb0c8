/** A member with a number that a parser might round; a text may match as well. */
const roundable = /"\s*:\s*-?\d(?:\d{15}|\d*[.eE])/;

const numberForm = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Parses JSON like `JSON.parse`, but rounds nothing to an integer silently: where
 * the digits of a number say something else than the integer that they become, as
 * `4.9999999999999999999999` becomes 5, `replace` returns the value in its place or
 * throws. `5.0` and `5e0` are 5. Only numbers of members are compared, not of lists:
 * no list of the API has any.
 *
 * @param replace Receives the name of the member and the rounded value.
 * @throws SyntaxError the text is no JSON
 */
export function parseExactJson(text: string, replace: (name: string, rounded: number) => unknown): unknown {
  if (!roundable.test(text)) return JSON.parse(text);
  return JSON.parse(text, (name: string, value: unknown, context?: { readonly source?: string }) => {
    const isInteger = typeof value === 'number' && Number.isInteger(value);
    if (!isInteger || context?.source === undefined) return value;
    return toDecimal(context.source) === toDecimal(String(value)) ? value : replace(name, value);
  });
}

/** The absolute value that a number in JSON writes, in one notation for all notations of the same value. */
function toDecimal(number: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = numberForm.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  // Not a pattern: for a long run of zeros before other digits that would take quadratic time.
  while (digits[end - 1] === '0') end -= 1;
  return end === 0 ? '0' : `${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
