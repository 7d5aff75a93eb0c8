import { describe, expect, it } from 'vitest';
import { formatJournalLine, type JournalEntry, readJournalLines } from './journal-line.ts';
import { makeBackupKey } from './key-queries.ts';

const key = makeBackupKey('12'.repeat(32));
const agent = '01a1fe08-8929-70a8-bbb7-afe93b6668bf';
const entry = (kind: 'suspended' | 'closed' | 'erased'): JournalEntry => ({
  kind,
  agent_id: agent,
  at: '2026-11-23T00:00:00.000Z',
});
const entries = [entry('suspended'), entry('closed'), entry('erased')];
const lines: string[] = [];
let last = 'one.log';
for (const each of entries) {
  const { line, mac } = formatJournalLine(key, last, each);
  lines.push(line);
  last = mac;
}
const read = (text: string, before = 'one.log') => readJournalLines(before, Buffer.from(text), key);

describe('the lines of the journal', () => {
  it('are read in their order, from the beginning or from a position', () => {
    expect(read(lines.join(''))).toEqual({
      entries,
      end: { bytes: lines.join('').length, mac: last },
      isBroken: false,
    });
    const { end } = read(lines[0] ?? '');
    expect(read(lines.slice(1).join(''), end.mac).entries).toEqual(entries.slice(1));
  });

  it('end before one that was being written', () => {
    const cut = lines.join('').slice(0, -10);
    expect(read(cut)).toMatchObject({ entries: entries.slice(0, 2), isBroken: false });
  });

  it.each([
    ['left out', [lines[0], lines[2]]],
    ['moved', [lines[1], lines[0], lines[2]]],
    ['changed', [lines[0]?.replace('suspended', 'closed'), lines[1]]],
    ['made without the key', [formatJournalLine(makeBackupKey('34'.repeat(32)), 'one.log', entry('erased')).line]],
  ])('are broken where one was %s', (_, changed) => {
    expect(read(changed.join(''))).toMatchObject({ isBroken: true });
  });
});
