/**
 * How text was folded and cut into grams when migration 0002 landed. A copy,
 * because a migration does the same for ever, whatever `search-text.ts` becomes.
 */

const ascii = /^[\0-\x7f]*$/;
const betweenFields = 'A';
const gramMaxLength = 3;

/** Folds the case of a text, code point by code point. */
export function foldCase(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text) folded += character.toLowerCase().toUpperCase().toLowerCase();
  return folded;
}

/** Folds several fields into one text. */
export function foldFields(fields: readonly string[]): string {
  return fields.map(foldCase).join(betweenFields);
}

/** Every run of one, two and three code points within a field, as a 32-bit number. */
export function gramsOf(folded: string): number[] {
  const grams = new Set<number>();
  for (const field of folded.split(betweenFields)) {
    const points = Array.from(field, (character) => character.codePointAt(0) ?? 0);
    for (let start = 0; start < points.length; start += 1) {
      let gram = 0;
      for (let length = 1; length <= gramMaxLength && start + length <= points.length; length += 1) {
        gram = mix(gram, points[start + length - 1] ?? 0);
        grams.add(gram);
      }
    }
  }
  return [...grams];
}

function mix(gram: number, point: number): number {
  const mixed = Math.imul(gram ^ Math.imul(point + 1, 0x9e3779b1), 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) | 0;
}
