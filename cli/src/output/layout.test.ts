import { expect, it } from 'vitest';
import { type Column, formatCard, formatTable, type Page } from './layout.ts';
import { cutToWidth, widthOf, wrapToWidth } from './text-width.ts';

type Row = readonly string[];

const column = (heading: string, index: number): Column<Row> => [heading, (row) => row[index] ?? ''];
const plain = (columns: number): Page => ({ columns, paint: (_, text) => text });
const marked = (columns: number): Page => ({ columns, paint: (paint, text) => `[${paint}:${text}]` });

it('aligns columns with characters that are two columns wide', () => {
  const rows = [
    ['漢字', 'x'],
    ['ab', 'y'],
    ['👩‍🚀', 'z'],
  ];

  const lines = formatTable(plain(80), rows, [column('A', 0), column('B', 1)], '')
    .trimEnd()
    .split('\n');

  expect(lines).toEqual(['A     B', '漢字  x', 'ab    y', '👩‍🚀    z']);
});

it('cuts the widest column when the page is narrow, and marks the cut', () => {
  const rows = [['alice', 'a very long text indeed']];

  const table = formatTable(plain(20), rows, [column('NAME', 0), column('TEXT', 1)], '');

  expect(table).toBe('NAME   TEXT\nalice  a very long …\n');
  for (const line of table.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(20);
});

it('keeps a row in one line for any content', () => {
  const rows = [['one\ntwo', '\u001b[31m']];

  expect(formatTable(plain(80), rows, [column('A', 0), column('B', 1)], '')).toBe(
    'A        B\none⏎two  <U+001B>[31m\n',
  );
});

it('prints a message for an empty table', () => {
  expect(formatTable(plain(80), [], [column('A', 0)], 'Nothing yet.')).toBe('Nothing yet.\n');
});

it('wraps long values of a card beside their label, each line painted', () => {
  const rows = [
    ['bio', { text: 'one two three four', paint: 'red' }],
    ['id', '7'],
  ] as const;

  expect(formatCard(plain(17), 'Alice', rows)).toBe('Alice\n  bio  one two\n       three four\n  id   7\n');
  expect(formatCard(marked(17), 'Alice', rows)).toContain('[dim:bio]  [red:one two]\n');
});

it('breaks a word that is wider than the line, never inside a character', () => {
  expect(wrapToWidth('ab 漢字漢字 c', 5)).toEqual(['ab', '漢字', '漢字', 'c']);
  expect(wrapToWidth('  indented', 20)).toEqual(['  indented']);
  expect(wrapToWidth('', 20)).toEqual(['']);
  expect(cutToWidth('漢字漢字', 5)).toBe('漢字…');
  expect(cutToWidth('漢字', 4)).toBe('漢字');
});
