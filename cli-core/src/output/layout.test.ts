import { expect, it } from 'vitest';
import { captureIo } from '../../../cli/testing/captured-io.ts';
import { type Column, formatCard, formatTable, makeTextLayout, type TextLayout } from './layout.ts';
import { truncateToWidth, widthOf, wrapToWidth } from './text-width.ts';
import { formatAge, makeTimeColumn } from './values.ts';

type Row = readonly string[];

const now = new Date('2026-11-21T12:00:00Z');
const column = (heading: string, index: number): Column<Row> => [heading, (row) => row[index] ?? '', 'text'];
const whole = (heading: string, index: number): Column<Row> => [heading, (row) => row[index] ?? ''];
const plain = (columns: number): TextLayout => ({ columns, now, paint: (_, text) => text });
const marked = (columns: number): TextLayout => ({ columns, now, paint: (paint, text) => `[${paint}:${text}]` });
const id = '01a1fdff-c0dc-7093-b041-e5d4cac41340';

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
  const rows = [['alice', 'a very long text indeed, of many words']];

  const table = formatTable(plain(32), rows, [column('NAME', 0), column('TEXT', 1)], '');

  expect(table).toBe('NAME   TEXT\nalice  a very long text indeed,…\n');
  for (const line of table.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(32);
});

it('uses short forms of columns and cuts texts before it gives up a table', () => {
  const time = makeTimeColumn<Row>('SEEN', (row) => row[2] ?? '');
  const columns = [whole('ID', 0), time, column('TEXT', 1)];
  const rows = [[id, 'a text that takes some room', '2026-11-18T12:00:00Z']];

  expect(formatTable(plain(120), rows, columns, '')).toContain(`${id}  2026-11-18 12:00 UTC (3 days ago)  a text that`);
  expect(formatTable(plain(75), rows, columns, '')).toContain(`${id}  3 days ago  a text that takes some r…`);
});

it('prints cards with whole ids if a table would truncate important columns', () => {
  const time = makeTimeColumn<Row>('SEEN', (row) => row[2] ?? '');
  const columns = [whole('', 3), whole('ID', 0), time, column('TEXT', 1), column('EMPTY', 4)];
  const rows = [
    [id, 'a text that takes some room, more than a line of the page has', '2026-11-18T12:00:00Z', '*'],
    [id, 'short', '2026-11-21T12:00:00Z', ''],
  ];

  const cards = formatTable(plain(60), rows, columns, '');

  expect(cards).toBe(
    [
      `* id ${id}`,
      '  seen  2026-11-18 12:00 UTC (3 days ago)',
      '  text  a text that takes some room, more than a line of the',
      '        page has',
      '',
      `id ${id}`,
      '  seen  2026-11-21 12:00 UTC (just now)',
      '  text  short',
      '',
    ].join('\n'),
  );
  for (const line of cards.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(60);
});

it('cuts and wraps nothing in a pipe', () => {
  const { io } = captureIo({ columns: 60 });
  const page = makeTextLayout(io, 'stdout', { color: true });
  const long = 'word '.repeat(100).trim();

  expect(formatTable(page, [[id, long]], [whole('ID', 0), column('TEXT', 1)], '')).toContain(`${id}  ${long}\n`);
  expect(formatCard(page, 'Alice', [['bio', long]])).toContain(`  bio  ${long}\n`);
});

it('prints a key completely below its label if it does not fit beside it', () => {
  const key = 'w+qx6CpGNf03EmscDsVRrkzSvQTzPJaMcYsRH1z6TiM=';

  expect(formatCard(plain(60), '', [['a public encryption key', key]])).toBe(`  a public encryption key\n    ${key}\n`);
});

it('cuts no text to less than half of it, or to less than 24 columns', () => {
  const columns = [whole('ID', 0), column('TEXT', 1)];
  const show = (text: string, width: number) => formatTable(plain(width), [['7', text]], columns, '');

  expect(show('twelve chars', 12)).toBe('ID  TEXT\n7   twelve …\n');
  expect(show('twelve chars', 11)).toMatch(/^id 7\n/);
  const long = 'word '.repeat(20).trim();
  expect(show(long, 28)).toMatch(/^ID {2}TEXT\n7 {3}(word ){4}wor…\n$/);
  expect(show(long, 27)).toMatch(/^id 7\n/);
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

  expect(formatCard(plain(17), 'A heading of four', rows)).toMatch(/^A heading of four\n {2}bio/);
  expect(formatCard(plain(14), 'A heading of four', [])).toBe('A heading of\nfour\n');
  expect(formatCard(plain(17), 'Alice', rows)).toBe('Alice\n  bio  one two\n       three four\n  id   7\n');
  expect(formatCard(marked(17), 'Alice', rows)).toContain('[dim:bio]  [red:one two]\n');
});

it('breaks a word that is wider than the line, never inside a character', () => {
  expect(wrapToWidth('ab 漢字漢字 c', 5)).toEqual(['ab', '漢字', '漢字', 'c']);
  expect(wrapToWidth('  indented', 20)).toEqual(['  indented']);
  expect(wrapToWidth('', 20)).toEqual(['']);
  expect(wrapToWidth('POST /api/v1/orders/01a1fdff/accept', 20)).toEqual([
    'POST',
    '/api/v1/orders/',
    '01a1fdff/accept',
  ]);
  expect(truncateToWidth('漢字漢字', 5)).toBe('漢字…');
  expect(truncateToWidth('漢字', 4)).toBe('漢字');
});

it.each([
  ['2026-11-21T12:00:30Z', 'in less than a minute'],
  ['2026-11-21T11:59:30Z', 'just now'],
  ['2026-11-21T11:59:00Z', '1 minute ago'],
  ['2026-11-21T13:29:00Z', 'in 89 minutes'],
  ['2026-11-21T13:31:00Z', 'in 2 hours'],
  ['2026-11-23T12:00:00Z', 'in 2 days'],
  ['2026-12-21T12:00:00Z', 'in 30 days'],
  ['2026-08-21T12:00:00Z', '3 months ago'],
  ['2022-11-21T12:00:00Z', '4 years ago'],
  ['a time of tomorrow', 'a time of tomorrow'],
])('tells that %s is %s', (timestamp, age) => {
  expect(formatAge(timestamp, now)).toBe(age);
});
