import { expect, it } from 'vitest';
import { toTypedFileName } from './file-name.ts';

const [pdf, jpeg, png] = ['application/pdf', 'image/jpeg', 'image/png'];

it.each([
  ['INVOICE.PDF', pdf, 'INVOICE.PDF'],
  ['invoice.sh', pdf, 'invoice.sh.pdf'],
  ['invoice', pdf, 'invoice.pdf'],
  ['.pdf', pdf, 'pdf.pdf'],
  ['.npmrc', pdf, 'npmrc.pdf'],
  ['...', pdf, 'file.pdf'],
  ['\u3164\u2800', pdf, 'file.pdf'],
  ['..\\..\\etc/notes.pdf', pdf, 'notes.pdf'],
  ['folder/', pdf, 'file.pdf'],
  [' \u202e-rf', pdf, 'rf.pdf'],
  ['\u001b[31m\u202efdp.no\u200btes\ud800', pdf, '[31mfdp.notes\ufffd.pdf'],
  ['a\u00a0\u2028\u2029 \u3164b\u115f\u1160\uffa0c.pdf\u2800', pdf, 'a b c.pdf'],
  ['notes.pdf. .', pdf, 'notes.pdf'],
  ['C:x.pdf', pdf, 'C_x.pdf'],
  ['notes.pdf::$DATA', pdf, 'notes.pdf__$DATA.pdf'],
  ['<a>|b?*"c".pdf', pdf, '_a__b___c_.pdf'],
  ['NUL', pdf, '_NUL.pdf'],
  ['con .tar.pdf', pdf, '_con .tar.pdf'],
  ['Lpt¹.pdf', pdf, '_Lpt¹.pdf'],
  ['console.pdf', pdf, 'console.pdf'],
  ['photo.JPG', jpeg, 'photo.JPG'],
  ['photo.jpeg', jpeg, 'photo.jpeg'],
  ['photo.jpe', jpeg, 'photo.jpe'],
  ['photo.png', jpeg, 'photo.png.jpg'],
  ['photo.jpg', png, 'photo.jpg.png'],
  ['Zoë 雪.Png', png, 'Zoë 雪.Png'],
  ['script.sh', 'application/x-sh', 'script.sh.bin'],
  ['a.jpg', 'constructor', 'a.jpg.bin'],
  ['a.pdf', 'Application/PDF; version=1', 'a.pdf'],
  [`${'長'.repeat(251)}.pdf`, pdf, `${'長'.repeat(66)}.pdf`],
  [`x.${'é'.repeat(253)}`, pdf, `x.${'é'.repeat(99)}.pdf`],
])('names %j of the type %s %j for others', (name, type, shown) => {
  expect(toTypedFileName(name, type)).toBe(shown);
});
