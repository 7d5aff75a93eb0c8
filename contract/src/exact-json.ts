/** A member with a number that a parser might round; text inside strings may match too. */
const roundable = /"\s*:\s*-?\d(?:\d{15}|\d*[.eE])/;

const numberForm = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Parses JSON like `JSON.parse`, but never silently rounds to an integer: if a number's digits differ from the
 * resulting integer, as with `4.9999999999999999999999`, which becomes 5, `replace` returns the value to use or
 * throws. `5.0` and `5e0` equal 5. Only numbers in members are checked, because no list of the API contains numbers.
 *
 * @param replace receives the name of the member and the rounded value
 * @throws SyntaxError the text is not JSON
 */
export function parseExactJson(text: string, replace: (name: string, rounded: number) => unknown): unknown {
  if (!roundable.test(text)) return JSON.parse(text);
  return JSON.parse(text, (name: string, value: unknown, context?: { readonly source?: string }) => {
    const isInteger = typeof value === 'number' && Number.isInteger(value);
    if (!isInteger || context?.source === undefined) return value;
    return toDecimal(context.source) === toDecimal(String(value)) ? value : replace(name, value);
  });
}

/** The absolute value of a JSON number in canonical notation. */
function toDecimal(number: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = numberForm.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  // A loop, because a regular expression would take quadratic time for a long run of zeros before other digits.
  while (digits[end - 1] === '0') end -= 1;
  return end === 0 ? '0' : `${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
