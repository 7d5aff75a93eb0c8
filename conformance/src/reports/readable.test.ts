import { expect, it } from 'vitest';
import { makeReadable, makeReadableLine } from './readable.ts';

it('replaces control, invisible and private characters by numbers', () => {
  expect(makeReadable('a\u001b[2J\u202e\u2028\ud800')).toBe('a\\u{1b}[2J\\u{202e}\\u{2028}\ufffd');
  expect(makeReadable('\u034f\u115f\u180b\ufe0f\u200d\u{1d173}\u{e0041}\u{e0101}\ue000\ufdd0')).toBe(
    '\\u{34f}\\u{115f}\\u{180b}\\u{fe0f}\\u{200d}\\u{1d173}\\u{e0041}\\u{e0101}\\u{e000}\\u{fdd0}',
  );
});

it('keeps ordinary text, line breaks and tabs', () => {
  expect(makeReadable('Zoë 狐 🦊\n\té')).toBe('Zoë 狐 🦊\n\té');
  expect(makeReadableLine(' one\n\ttwo ')).toBe('one two');
});
