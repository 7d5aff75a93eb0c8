import { expect, it } from 'vitest';
import { toVisibleJson, toVisibleLine, toVisibleLines } from './visible-text.ts';

it.each([
  ['an escape sequence', '\u001b[2Jgone', '<U+001B>[2Jgone'],
  ['a control character of the upper set', 'a\u009bm', 'a<U+009B>m'],
  ['a delete', 'a\u007f', 'a<U+007F>'],
  ['a change of direction', '\u202eevil\u2066', '<U+202E>evil<U+2066>'],
  ['a mark of direction', 'a\u200fb\u061c', 'a<U+200F>b<U+061C>'],
  ['an invisible space', 'pay\u200bpal\ufeff', 'pay<U+200B>pal<U+FEFF>'],
  ['smuggled tag characters', 'hi\u{e0061}\u{e007f}', 'hi<U+E0061><U+E007F>'],
  ['a lone surrogate', 'a\ud800b', 'a<U+D800>b'],
  ['a line break in one line', 'a\nb\r\nc\rd', 'a⏎b⏎c<U+000D>d'],
])('shows %s', (_, text, visible) => {
  expect(toVisibleLine(text)).toBe(visible);
});

it('leaves ordinary text of any script alone, joined emoji included', () => {
  const text = 'Ünïcode 漢字 हिन्दी می‌خواهم 👩‍🚀 e\u0301';
  expect(toVisibleLine(text)).toBe(text);
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
