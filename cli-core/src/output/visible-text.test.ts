import { expect, it } from 'vitest';
import { toVisibleJson, toVisibleLine, toVisibleLines } from './visible-text.ts';

it.each([
  ['an escape sequence', '\u001b[2Jgone', '<U+001B>[2Jgone'],
  ['a control character of the upper set', 'a\u009bm', 'a<U+009B>m'],
  ['a delete', 'a\u007f', 'a<U+007F>'],
  ['a change of direction', '\u202eevil\u2066', '<U+202E>evil<U+2066>'],
  ['a mark of direction', 'a\u200fb\u061c', 'a<U+200F>b<U+061C>'],
  ['an invisible space', 'pay\u200bpal\ufeff', 'pay<U+200B>pal<U+FEFF>'],
  ['blank signs', 'a\u00a0\u2800\u3164\u115f\uffa0\u2028b', 'a<U+00A0><U+2800><U+3164><U+115F><U+FFA0><U+2028>b'],
  ['a combining grapheme joiner', 'a\u034fb', 'a<U+034F>b'],
  ['a Mongolian variation selector', 'a\u180bb', 'a<U+180B>b'],
  ['a musical control', 'a\u{1d173}b', 'a<U+1D173>b'],
  ['variation selectors without an emoji', 'a\ufe0f漢\u{e0101}', 'a<U+FE0F>漢<U+E0101>'],
  ['more than one variation selector of an emoji', '❤\ufe0f\ufe0f', '❤\ufe0f<U+FE0F>'],
  ['joiners that join nothing', 'pay\u200dpal\u200c 👩\u200d x', 'pay<U+200D>pal<U+200C> 👩<U+200D> x'],
  ['a row of joiners', 'می\u200c\u200c\u200d', 'می\u200c<U+200C><U+200D>'],
  ['an unassigned code point that is ignored', 'a\u{e0fff}', 'a<U+E0FFF>'],
  ['private use', '\ue000\u{f0000}\u{10fffd}', '<U+E000><U+F0000><U+10FFFD>'],
  ['a code point that is no character', '\ufdd0\u{1ffff}', '<U+FDD0><U+1FFFF>'],
  ['tags of no flag', '🏴\u{e0068}\u{e0069}\u{e007f}', '🏴<U+E0068><U+E0069><U+E007F>'],
  ['smuggled tag characters', 'hi\u{e0061}\u{e007f}', 'hi<U+E0061><U+E007F>'],
  ['a lone surrogate', 'a\ud800b', 'a<U+D800>b'],
  ['a line break in one line', 'a\nb\r\nc\rd', 'a⏎b⏎c<U+000D>d'],
])('shows %s', (_, text, visible) => {
  expect(toVisibleLine(text)).toBe(visible);
});

it.each([
  'Ünïcode 漢字\u3000हिन्दी e\u0301 Ω ß',
  'می\u200cخواهم क\u200dष ශ්\u200dරී',
  '👩\u200d🚀 👩🏽\u200d🚀 🏳\ufe0f\u200d🌈 🏴\u200d☠\ufe0f ❤\ufe0f ☎\ufe0e 👁\u200d🗨 👍🏽 🇩🇪',
  '1\ufe0f\u20e3 #\ufe0f\u20e3',
  '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} 🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
])('leaves ordinary text and emoji of any kind alone: %s', (text) => {
  expect(toVisibleLine(text)).toBe(text);
  expect(toVisibleJson(text)).toBe(JSON.stringify(text));
});

it('shows every code point that Unicode calls ignorable or private, wherever it stands alone', () => {
  const ignorable = /[\p{Default_Ignorable_Code_Point}\p{Co}\p{Noncharacter_Code_Point}]/u;
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
  for (const point of [...range(0, 0x1ffff), ...range(0xe0000, 0xe0fff), 0xf0000, 0xffffe, 0x10fffd, 0x10ffff]) {
    const character = String.fromCodePoint(point);
    if (!ignorable.test(character)) continue;
    const text = `a${character}b`;
    if (toVisibleLine(text) === text) expect.fail(`U+${point.toString(16)} is not shown`);
    if (toVisibleJson(text).includes(character)) expect.fail(`U+${point.toString(16)} is raw in JSON`);
  }
});

it('keeps line breaks in texts with several lines, and no other control characters', () => {
  expect(toVisibleLines('a\r\nb\n\tc\u001b')).toEqual(['a', 'b', '<U+0009>c<U+001B>']);
});

it('prints equivalent JSON without control characters for a terminal', () => {
  const value = { text: '\u001b[0m\u009b\u202e\u{e0061}\ufeff漢\ud800', list: [1, null] };

  const printed = toVisibleJson(value);

  expect(JSON.parse(printed)).toEqual(value);
  expect(printed).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
  expect(printed).toContain('漢');
});
