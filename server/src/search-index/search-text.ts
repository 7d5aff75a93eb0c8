/**
 * Text as it is searched (D-41): folded, so that case does not count, and cut
 * into grams that an index can find. Both are ours and not the database's:
 * what its locale calls a letter, or the lower case of one, differs from
 * installation to installation, and trigrams of its own extension are made of
 * ASCII letters alone where the locale is `C`.
 */

const ascii = /^[\0-\x7f]*$/;

/**
 * Folds the case of a text, close to Unicode's full case folding: `ß`, `ẞ` and
 * `SS` are one, and so are `ς`, `σ` and `Σ`, or `K` (Kelvin) and `k`. Upper case
 * alone would leave pairs apart that only meet in lower case, and the other way
 * round. Beyond Unicode's default `ı` is taken for `i`, as their upper case is
 * one; `İ` stays an `i` with a dot above. Each code point is folded by itself:
 * a language's rules of context (a sigma at the end of a word) would make a
 * part of a word differ from the word.
 */
export function foldCase(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text) folded += character.toLowerCase().toUpperCase().toLowerCase();
  return folded;
}

/** Stands between fields. Folding leaves no capital, so no folded search contains one or matches across it. */
const betweenFields = 'A';

/** Folds several fields into one text in which each of them is still found by itself. */
export function foldFields(fields: readonly string[]): string {
  return fields.map(foldCase).join(betweenFields);
}

/** The longest run of code points that is one gram. */
const gramMaxLength = 3;

/**
 * All grams of a folded text: every run of one, two and three code points as a
 * 32-bit number. Runs that share a number cost one comparison too many and change
 * no result, because each text that the index finds is compared afterwards.
 */
export function gramsOf(folded: string): number[] {
  const grams = new Set<number>();
  for (const field of folded.split(betweenFields)) addGrams(grams, codePointsOf(field), 1, gramMaxLength);
  return [...grams];
}

/** The grams that every text with this folded search in it has: the longest ones, which are the rarest. */
export function gramsToFind(folded: string): number[] {
  const points = codePointsOf(folded);
  const length = Math.min(points.length, gramMaxLength);
  const grams = new Set<number>();
  addGrams(grams, points, length, length);
  return [...grams];
}

function codePointsOf(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}

function addGrams(grams: Set<number>, points: readonly number[], minLength: number, maxLength: number): void {
  for (let start = 0; start < points.length; start += 1) {
    let gram = 0;
    for (let length = 1; length <= maxLength && start + length <= points.length; length += 1) {
      gram = mix(gram, points[start + length - 1] ?? 0);
      if (length >= minLength) grams.add(gram);
    }
  }
}

function mix(gram: number, point: number): number {
  const mixed = Math.imul(gram ^ Math.imul(point + 1, 0x9e3779b1), 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) | 0;
}
