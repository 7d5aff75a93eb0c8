import { expect, it } from 'vitest';
import { layOutCard } from './card.ts';
import type { Page } from './page.ts';
import { layOutTable } from './table.ts';
import { cutToWidth, widthOf, wrapToWidth } from './text-width.ts';

const plain = (columns: number): Page => ({ columns, paint: (_, text) => text });
const marked = (columns: number): Page => ({ columns, paint: (paint, text) => `[${paint}:${text}]` });

it('lines columns up although some characters are two columns wide', () => {
  const table = {
    columns: ['A', 'B'],
    rows: [
      ['漢字', 'x'],
      ['ab', 'y'],
      ['👩‍🚀', 'z'],
    ],
    empty: '',
  };

  const lines = layOutTable(table, plain(80)).trimEnd().split('\n');

  expect(lines).toEqual(['A     B', '漢字  x', 'ab    y', '👩‍🚀    z']);
});

it('cuts the widest column when the page is narrow, and marks the cut', () => {
  const table = { columns: ['NAME', 'TEXT'], rows: [['alice', 'a very long text indeed']], empty: '' };

  const laidOut = layOutTable(table, plain(20));

  expect(laidOut).toBe('NAME   TEXT\nalice  a very long …\n');
  for (const line of laidOut.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(20);
});

it('keeps a row in one line whatever is in its cells', () => {
  const table = { columns: ['A', 'B'], rows: [['one\ntwo', '\u001b[31m']], empty: '' };

  expect(layOutTable(table, plain(80))).toBe('A        B\none⏎two  <U+001B>[31m\n');
});

it('says in words that there is nothing', () => {
  expect(layOutTable({ columns: ['A'], rows: [], empty: 'Nothing yet.' }, plain(80))).toBe('Nothing yet.\n');
});

it('wraps long values of a card beside their label, and paints what is left of them', () => {
  const card = {
    heading: 'Alice',
    rows: [
      ['bio', { text: 'one two three four', paint: 'red' }],
      ['id', '7'],
    ],
  } as const;

  expect(layOutCard(card, plain(17))).toBe('Alice\n  bio  one two\n       three four\n  id   7\n');
  expect(layOutCard(card, marked(17))).toContain('[dim:bio]  [red:one two]\n');
});

it('breaks a word that is wider than the line, never inside a character', () => {
  expect(wrapToWidth('ab 漢字漢字 c', 5)).toEqual(['ab', '漢字', '漢字', 'c']);
  expect(wrapToWidth('  indented', 20)).toEqual(['  indented']);
  expect(wrapToWidth('', 20)).toEqual(['']);
  expect(cutToWidth('漢字漢字', 5)).toBe('漢字…');
  expect(cutToWidth('漢字', 4)).toBe('漢字');
});
