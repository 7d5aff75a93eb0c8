import { expect, it } from 'vitest';
import { safeFileName } from './safe-file-name.ts';

const pdf = 'application/pdf';

it.each([
  ['notes.pdf', 'notes.pdf'],
  ['invoice.sh', 'invoice.sh.pdf'],
  ['Bericht für März.tar.gz', 'Bericht für März.tar.gz.pdf'],
  ['..\\..\\etc/notes.pdf', 'notes.pdf'],
  ['/', 'file.pdf'],
  ['..', 'file...pdf'],
  ['.npmrc', 'file.npmrc.pdf'],
  ['-rf', 'file-rf.pdf'],
  ['\u001b[31m\u202efdp.notes', '[31mfdp.notes.pdf'],
  ['\u202e-rf', 'file-rf.pdf'],
  [undefined, 'id.pdf'],
])('saves the PDF %j as %j', (filename, name) => {
  expect(safeFileName({ id: '../id', filename, media_type: pdf })).toBe(name);
});

it.each([
  [`${'長'.repeat(251)}.pdf`, `${'長'.repeat(66)}.pdf`],
  [`${'n'.repeat(251)}.pdf`, `${'n'.repeat(200)}.pdf`],
  [`x.${'é'.repeat(253)}`, `x.${'é'.repeat(99)}.pdf`],
])('cuts a name that is too long for a file system, and no character in half', (filename, name) => {
  expect(safeFileName({ id: 'id', filename, media_type: pdf })).toBe(name);
});
