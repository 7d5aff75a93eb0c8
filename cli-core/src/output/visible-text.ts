// Characters that a terminal interprets or does not show: control characters, direction marks, variation selectors and
// tag characters that hide text (all "default ignorable" in Unicode), private use, separators, lone surrogates, and
// blank characters other than the normal and the ideographic space. Callers handle line breaks.
const unseen =
  /[[\p{Cc}\p{Cs}\p{Co}\p{Z}\u2800\u{1d159}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\ufff9-\ufffb]--[\n \u3000]]/v;

// Some of these characters have a visible effect in particular contexts and are kept there: joiners and variation
// selectors in an emoji, a joiner after a letter of a script with joined letters, and the tags in the flags of England,
// Scotland and Wales.
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
 * Makes untrusted text safe to print on one terminal line: characters that would move the cursor, set colours or
 * change the text direction are shown as code points, `<U+001B>`.
 */
export function toVisibleLine(text: string): string {
  return writeUnseen(text.replaceAll('\r\n', '⏎').replaceAll('\n', '⏎'), nameCodePoint);
}

/** Splits a text into lines, each made safe to print as `toVisibleLine` does. */
export function toVisibleLines(text: string): string[] {
  return writeUnseen(text.replaceAll('\r\n', '\n'), nameCodePoint).split('\n');
}

/** Formats a value as JSON that is safe to print on a terminal and still parses to the same value. */
export function toVisibleJson(value: unknown, indentation?: number): string {
  return writeUnseen(JSON.stringify(value, undefined, indentation), escapeCodeUnits);
}

function writeUnseen(text: string, write: (character: string) => string): string {
  // Compiles the Unicode classes only if a text needs them, because that takes milliseconds.
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
