/**
 * Text as it is searched (§3.21): folded, so that case does not count, and cut
 * into grams that an index can find. Both are ours and not the database's:
 * what its locale calls a letter, or the lower case of one, differs from
 * installation to installation, and trigrams of its extension are made of
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

const space = 0x20;

/** No code point. */
const beyondUnicode = 0x110000;

/** From here on lie the scripts of many signs: two signs are as rare as three letters. */
const firstSign = 0x2e80;

/**
 * How many different grams the first `points` code points of a text may have.
 * Ordinary text repeats itself: the densest that was found, a Chinese magazine, has
 * 1,000 and 0.74 for each code point. Random signs repeat nothing, and every gram
 * that no other text has costs 40 bytes.
 */
function gramsMax(points: number): number {
  return 1_000 + 0.85 * points;
}

/** A text as the index takes it. */
interface IndexedText {
  readonly text: string;
  readonly grams: readonly number[];
  /** Grams of five code points around a space. */
  readonly joints: readonly number[];
}

/**
 * Cuts a folded text into grams: every run of one and of two code points, and of three
 * letters, as a 32-bit number; and every five code points with a space in their middle. Runs that
 * share a number cost one comparison too many and change no result, because each text
 * that the index finds is compared afterwards. The text ends where it has too many
 * grams, so that every plan of a search finds the same.
 */
export function indexText(folded: string): IndexedText {
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

/** The grams that every text with this folded search in it has: the longest ones, which are the rarest. */
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

/** The joints that every text with this folded search in it has. */
export function jointsToFind(folded: string): number[] {
  return [...indexText(folded).joints];
}

/** Grams of a specialty, which differ from those of texts. */
export function markAsSpecialty(grams: readonly number[]): number[] {
  return grams.map((gram) => mix(gram, beyondUnicode));
}

/** The grams that end with one code point of a text. */
interface Runs {
  /** Behind the code point, in the text. */
  end: number;
  one: number;
  /** Undefined for the first code point of a field. */
  two: number | undefined;
  /** Undefined where one of the three is a sign, or the field has begun less than three code points ago. */
  three: number | undefined;
  /** Of the last five code points, if the middle one is a space. */
  joint: number | undefined;
  /** Whether one of the last two code points is a sign. */
  hasSign: boolean;
}

/** LastSeen the code points of a text until a visit returns false. The runs are one object, because a post has hundreds of them. */
function eachRun(folded: string, visit: (runs: Readonly<Runs>) => boolean): void {
  const runs: Runs = { end: 0, one: 0, two: undefined, three: undefined, joint: undefined, hasSign: false };
  // How many code points of the field were before, and the last four of them.
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
