// Characters that a terminal executes or hides: control characters,
// marks that change the direction of reading, invisible format characters (the
// tag characters that smuggle text past the eye among them), separators and
// lone surrogates. The two joiners stay: scripts and emoji need them.
const unseen =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u00ad\u115f\u1160\u180e\u200b\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const unseenButLineBreaks = new RegExp(`(?!\\n)${unseen.source}`, 'gu');

// JSON escapes C0 and lone surrogates by itself; these it would print raw.
const rawInJson =
  /[\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/**
 * Makes untrusted text safe to print in one line of a terminal: what would
 * move the cursor, colour the screen or turn the reading direction is shown as
 * its code point, `<U+001B>`.
 */
export function toVisibleLine(text: string): string {
  return text.replaceAll('\r\n', '⏎').replaceAll('\n', '⏎').replace(unseen, nameCodePoint);
}

/** The same for text of several lines: line breaks stay. */
export function toVisibleLines(text: string): string[] {
  return text.replaceAll('\r\n', '\n').replace(unseenButLineBreaks, nameCodePoint).split('\n');
}

/** Prints JSON that is safe on a terminal too, and still the same JSON. */
export function toVisibleJson(value: unknown, indentation?: number): string {
  return JSON.stringify(value, undefined, indentation).replace(rawInJson, escapeCodeUnits);
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
