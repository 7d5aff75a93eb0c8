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
  ['photo.JPG', jpeg, 'photo.JPG'],
  ['photo.jpeg', jpeg, 'photo.jpeg'],
  ['photo.jpe', jpeg, 'photo.jpe'],
  ['photo.png', jpeg, 'photo.png.jpg'],
  ['photo.jpg', png, 'photo.jpg.png'],
  ['Zoë 雪.Png', png, 'Zoë 雪.Png'],
  ['script.sh', 'application/x-sh', 'script.sh.bin'],
  ['a.jpg', 'constructor', 'a.jpg.bin'],
  ['a.pdf', 'Application/PDF; version=1', 'a.pdf'],
  [`${'😀'.repeat(251)}.pdf`, pdf, `${'😀'.repeat(251)}.pdf`],
  ['😀'.repeat(252), pdf, `${'😀'.repeat(251)}.pdf`],
])('names %j of the type %s %j for others', (name, type, shown) => {
  expect(toTypedFileName(name, type)).toBe(shown);
});
