// Characters that a terminal executes or does not show: control characters, marks that
// change the direction of reading, variation selectors and the tag characters that smuggle
// text past the eye (all "default ignorable" in Unicode), private use, separators, lone
// surrogates; and blank signs, except the space and the wide space of Chinese and Japanese.
// Line breaks are left to the callers.
const unseen =
  /[[\p{Cc}\p{Cs}\p{Co}\p{Z}\u2800\u{1d159}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\ufff9-\ufffb]--[\n \u3000]]/v;

// Some of them have a visible effect, in one place each, and stay there: joiners and
// variation selectors of an emoji, a joiner behind a letter of a script that joins its
// letters, and the tags of the flags of England, Scotland and Wales.
const joiningScripts = 'Arab Syrc Mong Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Mymr Khmr'
  .split(' ')
  .map((script) => `\\p{scx=${script}}`)
  .join('');
const seen = [
  '(?<=\\p{ExtPict}\\ufe0f?|\\p{EMod})\\u200d(?=\\p{ExtPict})',
  '(?<=\\p{ExtPict})[\\ufe0e\\ufe0f]|(?<=[#*0-9])\\ufe0f(?=\\u20e3)',
  `(?<=[${joiningScripts}])[\\u200c\\u200d]`,
  ...['eng', 'sct', 'wls'].map((country) => `(?<=🏴)${toTags(`gb${country}`)}\\u{e007f}`),
].join('|');
let seenOrUnseen: RegExp | undefined;

/**
 * Makes untrusted text safe to print in one line of a terminal: what would
 * move the cursor, colour the screen or turn the reading direction is shown as
 * its code point, `<U+001B>`.
 */
export function toVisibleLine(text: string): string {
  return writeUnseen(text.replaceAll('\r\n', '⏎').replaceAll('\n', '⏎'), nameCodePoint);
}

/** The same for text of several lines: line breaks stay. */
export function toVisibleLines(text: string): string[] {
  return writeUnseen(text.replaceAll('\r\n', '\n'), nameCodePoint).split('\n');
}

/** Prints JSON that is safe on a terminal too, and still the same JSON. */
export function toVisibleJson(value: unknown, indentation?: number): string {
  return writeUnseen(JSON.stringify(value, undefined, indentation), escapeCodeUnits);
}

function writeUnseen(text: string, write: (character: string) => string): string {
  // The classes of Unicode take milliseconds to compile, and most texts need none.
  if (/^[\n\x20-\x7e]*$/.test(text) || !unseen.test(text)) return text;
  seenOrUnseen ??= new RegExp(`(${seen})|${unseen.source}`, 'gv');
  return text.replace(seenOrUnseen, (found, kept?: string) => kept ?? write(found));
}

function toTags(letters: string): string {
  return [...letters].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
}

function nameCodePoint(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `<U+${hex.padStart(4, '0')}>`;
}

function escapeCodeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }).join('');
}
