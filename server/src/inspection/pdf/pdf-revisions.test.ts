import { describe, expect, it } from 'vitest';
import { makePdf, makePdfStream, updatePdf } from '../../../testing/files/pdf-maker.ts';
import { describePdfVerdict } from '../../../testing/files/pdf-verdict.ts';

const catalog = (more: string) => `<< /Type /Catalog /Pages 2 0 R ${more} >>`;
const script = '<< /S /JavaScript /JS (x) >>';
const opening = catalog(`/OpenAction ${script}`);
const clean = makePdf();
const active = makePdf({ catalog: `/OpenAction ${script}` });
const list = (count: number) => `<< /Type /Pages /Kids [${'3 0 R '.repeat(count)}] /Count ${count} >>`;
const long = makePdf({ pages: [list(201), '<< /Type /Page >>'] });
const text = `20 0 obj ${script} endobj trailer << /Encrypt 20 0 R >>`;
const hidden = makePdf({ objects: [makePdfStream('', text)] });
const standard = '/Encrypt << /Filter /Standard /V 4 /R 4 /O (x) /U (x) /P -4 >>';
const hybrid = {
  1: catalog('/OpenAction 20 0 R'),
  11: makePdfStream('/Type /ObjStm /N 1 /First 5', `20 0 ${script}`),
  12: makePdfStream('/Type /XRef /Size 90 /Root 1 0 R /Index [20 1] /W [1 1 1]', '\x02\x0b\x00'),
};

it.each([
  ['replaces an action', 'accepted with 1 page(s)', updatePdf(active, { 1: catalog('') })],
  ['adds an action', 'active', updatePdf(clean, { 1: opening })],
  [
    'names another root',
    'active',
    updatePdf(clean, { 30: opening })
      .toString()
      .replace(/1 0 R(?= \/Prev)/, '30 0 R'),
  ],
  ['removes pages', 'accepted with 2 page(s)', updatePdf(long, { 2: list(2) })],
  ['adds pages', 'too_many_pages', updatePdf(clean, { 2: list(201) })],
  ['refers into a stream', 'active', updatePdf(hidden, { 1: catalog('/X 20 0 R'), 20: hidden.indexOf(text) })],
  [
    'returns to an action',
    'active',
    updatePdf(updatePdf(active, { 1: catalog('') }), { 1: active.indexOf('1 0 obj') }),
  ],
  ['names itself as the one before', 'active', updatePdf(active, {}, `/Prev ${active.length}`)],
  ['is encrypted', 'encrypted', updatePdf(clean, {}, standard)],
  ['is followed by another definition', 'active', `${clean}1 0 obj ${opening} endobj`],
  [
    'is for new readers',
    'active',
    updatePdf(clean, hybrid, `/XRefStm ${updatePdf(clean, hybrid).indexOf('12 0 obj')}`),
  ],
])('the newest revision decides: it %s', async (_what, verdict, pdf) => {
  expect(await describePdfVerdict(Buffer.from(pdf))).toBe(verdict);
});

describe('text that only reads like an object', () => {
  const documents = [
    hidden,
    makePdf({ objects: [makePdfStream('', `${text} endstream endobj ${text}`)] }),
    makePdf({ objects: [`(${text})`] }),
    makePdf({ objects: [`null % ${text}`] }),
  ];
  const damage = (pdf: Buffer) => Buffer.from(pdf.toString().replace(/startxref\n\d+/, 'startxref\n7'));

  it('is text', async () => {
    for (const pdf of documents) expect(await describePdfVerdict(pdf)).toBe('accepted with 1 page(s)');
  });

  it('counts where readers have to search for the objects', async () => {
    for (const pdf of documents) expect(await describePdfVerdict(damage(pdf))).toMatch(/encrypted|active/);
    const named = makePdf({ page: '/Resources << /Font << /AA << /O (x) >> >> >>' });
    expect(await describePdfVerdict(damage(named))).toBe('accepted with 1 page(s)');
  });
});

describe('a text with an object that acts counts', () => {
  const plain = hidden.toString('latin1');
  const table = plain.lastIndexOf('xref\n0');
  it.each([
    ['behind the last table, another place to begin', `${plain}%startxref ${hidden.indexOf(text)}`],
    ['a word begins another table', `${plain}xstartxref\n${hidden.indexOf(text)}\n%%EOF\n`],
    ['bytes follow the end', `${plain}${' '.repeat(3_000)}`],
    ['a row is of another kind', plain.replace(' 00000 n', ' 00000 x')],
    ['a row has another generation', plain.replace(' 00000 n', ' 00001 n')],
    ['a row leads elsewhere', `${plain.slice(0, table)}${plain.slice(table).replace('0000000009', '0000000010')}`],
    ['the file has a second table for its first page', plain.replace('/Catalog', '/Catalog /Linearized 1')],
    ['the file begins twice', `%PDFx\n${' '.repeat(900)}${plain}`],
    ['the object is in a comment to which the table leads', plain.replace('1 0 obj', '% 1 0 obj')],
  ])('where %s', async (_what, pdf) => {
    expect(await describePdfVerdict(Buffer.from(pdf, 'latin1'))).toMatch(/encrypted|active|broken/);
  });
});

it('is encrypted where its streams of objects cannot be read', async () => {
  const unreadable = makePdfStream('/Type /ObjStm /N 2 /First 10 /Filter /FlateDecode', 'Z'.repeat(48));
  const broken = Buffer.from(`%PDF-1.7\n1 0 obj\n${unreadable}\nendobj\ntrailer << ${standard} >>`);

  for (const pdf of [makePdf({ objects: [unreadable], trailer: standard }), broken]) {
    expect(await describePdfVerdict(pdf)).toBe('encrypted');
  }
});
