import { expect, it } from 'vitest';
import { toFileName } from './file-name.ts';

it.each([
  ['notes.pdf', 'notes.pdf'],
  ['Bericht für März.tar.gz', 'Bericht für März.tar.gz'],
  ['..\\..\\etc/notes.pdf', 'notes.pdf'],
  ['/', 'file'],
  ['..', 'file..'],
  ['.profile', 'file.profile'],
  ['-rf', 'file-rf'],
  ['\u001b[31m\u202efdp.notes', '[31mfdp.notes'],
  ['\u202e-rf', 'file-rf'],
])('saves %j as %j', (untrusted, name) => {
  expect(toFileName(untrusted)).toBe(name);
});

it.each([
  [`${'長'.repeat(251)}.pdf`, `${'長'.repeat(66)}.pdf`],
  [`${'n'.repeat(251)}.pdf`, `${'n'.repeat(200)}.pdf`],
  [`x.${'é'.repeat(253)}`, `x.${'é'.repeat(9)}`],
])('cuts a name that is too long for a file system, and no character in half', (untrusted, name) => {
  expect(toFileName(untrusted)).toBe(name);
});
