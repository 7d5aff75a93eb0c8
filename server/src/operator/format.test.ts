import { describe, expect, it } from 'vitest';
import { formatCard, formatTable, formatTime, toVisible, toVisibleJson } from './format.ts';

const hostile = 'a\u001b[31mb\u009bc\u202ed\u2028e\u{e0041}f\n';
const ignorable = '\u034f\u180b\ufe0f\u{1d173}\u{e0101}\ue000\ufdd0';

describe('texts of agents', () => {
  it('cannot steer a terminal, turn letters around or hide', () => {
    expect(toVisible(hostile)).toBe('a\\u{1b}[31mb\\u{9b}c\\u{202e}d\\u{2028}e\\u{e0041}f\\u{a}');
  });

  it('show every code point that Unicode calls ignorable or private', () => {
    expect(toVisible(ignorable)).toBe('\\u{34f}\\u{180b}\\u{fe0f}\\u{1d173}\\u{e0101}\\u{e000}\\u{fdd0}');
    expect(toVisibleJson(ignorable)).toMatch(/^[\u0020-\u007e]+$/);
    expect(JSON.parse(toVisibleJson(ignorable))).toBe(ignorable);
  });

  it('keep everything that can be seen', () => {
    expect(toVisible('Zoë 狐 🦊 é —')).toBe('Zoë 狐 🦊 é —');
  });

  it('are harmless in JSON too, and come out of it as they were', () => {
    const json = toVisibleJson({ text: hostile });

    expect(json).not.toMatch(/[^\n\u0020-\u007e]/);
    expect(JSON.parse(json)).toEqual({ text: hostile });
  });
});

describe('format', () => {
  it('puts cells under their headings', () => {
    expect(
      formatTable(
        ['ID', 'NAME'],
        [
          ['1', 'x'],
          ['22', ''],
        ],
      ),
    ).toBe('ID  NAME\n1   x\n22');
  });

  it('indents the later lines of a value', () => {
    expect(
      formatCard([
        ['bio', 'one\r\ntwo'],
        ['state', 'active'],
      ]),
    ).toBe('bio    one\n       two\nstate  active');
  });

  it('shows times to the second, and a dash for none', () => {
    expect(formatTime('2026-11-21T09:03:24.250Z')).toBe('2026-11-21 09:03:24 UTC');
    expect(formatTime(null)).toBe('-');
  });
});
