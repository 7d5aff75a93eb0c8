/**
 * Prepares text for search (§3.21): folds its case and cuts it into grams for an index. The database does neither,
 * because its locale, which differs between installations, determines what is a letter and what is lower case. With
 * the locale `C`, its trigram extension only uses ASCII letters.
 */

const ascii = /^[\0-\x7f]*$/;

/**
 * Folds the case of a text, close to Unicode's full case folding: `ß`, `ẞ` and `SS` become equal, and so do `ς`, `σ`
 * and `Σ`, or `K` (Kelvin) and `k`. Upper case alone would not unify pairs that only share a lower case, and vice
 * versa. Unlike Unicode's default, `ı` is treated as `i`, because they share an upper case; `İ` stays an `i` with a dot
 * above. Each code point is folded by itself, because contextual rules (such as the final sigma) would make a part of a
 * word differ from the word.
 */
export function foldCase(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text) folded += character.toLowerCase().toUpperCase().toLowerCase();
  return folded;
}

/** Separates fields. Folded text has no capital letters, so a folded search term never contains it. */
const betweenFields = 'A';

/** Folds several fields into one text, in which no match can span two fields. */
export function foldFields(fields: readonly string[]): string {
  return fields.map(foldCase).join(betweenFields);
}

const space = 0x20;

/** Greater than every code point. */
const beyondUnicode = 0x110000;

/** The first code point of the scripts with many characters. Two of these are as rare as three letters. */
const firstSign = 0x2e80;

/**
 * The maximum number of different grams in the first `points` code points of a text. Ordinary text repeats itself: the
 * densest text found, a Chinese magazine, has 1,000 grams plus 0.74 per code point. Random characters do not repeat,
 * and every gram that occurs in no other text costs 40 bytes.
 */
function gramsMax(points: number): number {
  return 1_000 + 0.85 * points;
}

interface IndexedText {
  readonly text: string;
  readonly grams: readonly number[];
  /** Grams of five code points around a space. */
  readonly joints: readonly number[];
}

/**
 * Cuts a folded text into grams: every run of one or two code points, and of three letters, as a 32-bit number; and
 * every five code points with a space in the middle. Runs that share a number only cost an unnecessary comparison,
 * because each text found by the index is compared afterwards. The text is cut off once it has too many grams, so that
 * every search plan finds the same matches.
 */
export function extractGrams(folded: string): IndexedText {
  const grams = new Set<number>();
  const joints = new Set<number>();
  let [points, end] = [0, 0];
  eachRun(folded, (run) => {
    grams.add(run.one);
    if (run.two !== undefined) grams.add(run.two);
    if (run.three !== undefined) grams.add(run.three);
    if (run.joint !== undefined) joints.add(run.joint);
    points += 1;
    end = run.end;
    return grams.size + joints.size <= gramsMax(points);
  });
  return { text: folded.slice(0, end), grams: [...grams], joints: [...joints] };
}

/** Returns the grams that every text with this folded term contains: only the longest ones, which are the rarest. */
export function gramsToFind(folded: string): number[] {
  const longest = new Set<number>();
  let shortest: number | undefined;
  eachRun(folded, ({ one, two, three, hasSign }) => {
    const gram = three ?? (hasSign ? two : undefined);
    if (gram !== undefined) longest.add(gram);
    shortest = two ?? one;
    return true;
  });
  return longest.size > 0 ? [...longest] : [shortest ?? []].flat();
}

/** Returns the joints that every text with this folded term contains. */
export function jointsToFind(folded: string): number[] {
  return [...extractGrams(folded).joints];
}

/** Converts the grams of a specialty, so that they differ from those of other texts. */
export function markAsSpecialty(grams: readonly number[]): number[] {
  return grams.map((gram) => mix(gram, beyondUnicode));
}

/** The grams that end with a particular code point of a text. */
interface Runs {
  /** The position after the code point. */
  end: number;
  one: number;
  /** Undefined for the first code point of a field. */
  two: number | undefined;
  /** Undefined if one of the three belongs to a script with many characters, or if the field has fewer than three so far. */
  three: number | undefined;
  /** The gram of the last five code points, if the middle one is a space. */
  joint: number | undefined;
  /** Whether one of the last two code points belongs to a script with many characters. */
  hasSign: boolean;
}

/**
 * Visits the code points of a text until a visit returns false. The runs are a single reused object, because a post has
 * hundreds of them.
 */
function eachRun(folded: string, visit: (runs: Readonly<Runs>) => boolean): void {
  const runs: Runs = { end: 0, one: 0, two: undefined, three: undefined, joint: undefined, hasSign: false };
  // The number of code points so far in the field, and the last four of them.
  let [length, first, second, third, fourth] = [0, 0, 0, 0, 0];
  let wasSign = false;
  while (runs.end < folded.length) {
    const point = folded.codePointAt(runs.end) ?? 0;
    runs.end += point > 0xffff ? 2 : 1;
    if (point === betweenFields.charCodeAt(0)) {
      length = 0;
      continue;
    }
    const isSign = point >= firstSign;
    const isAfterSign = length > 0 && wasSign;
    const mayBeThree = length > 1 && !runs.hasSign && !isSign;
    runs.three = mayBeThree ? mix(runs.two ?? 0, point) : undefined;
    runs.two = length > 0 ? mix(runs.one, point) : undefined;
    runs.one = mix(0, point);
    runs.joint = length > 3 && third === space ? jointOf(first, second, third, fourth, point) : undefined;
    runs.hasSign = isSign || isAfterSign;
    if (!visit(runs)) return;
    first = second;
    second = third;
    third = fourth;
    fourth = point;
    wasSign = isSign;
    length += 1;
  }
}

function jointOf(...points: readonly number[]): number {
  return points.reduce(mix, beyondUnicode);
}

function mix(gram: number, point: number): number {
  const mixed = Math.imul(gram ^ Math.imul(point + 1, 0x9e3779b1), 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) | 0;
}
