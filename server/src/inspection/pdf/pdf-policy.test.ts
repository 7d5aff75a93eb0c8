import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { makePdf, makePdfStream, type PdfParts } from '../../../testing/files/pdf-maker.ts';
import { describePdfVerdict, pdfPagesMax } from '../../../testing/files/pdf-verdict.ts';
import { openStaticPdf } from './inspect-pdf.ts';
import { drawFirstPage } from './pdfium.ts';

const link = (action: string) => `/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A ${action} >>]`;
const widget = (more: string) =>
  `/Annots [<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /Rect [0 0 9 9] ${more} >>]`;

const tree = (element: string) => `/StructTreeRoot << /Type /StructTreeRoot /K ${element} >>`;
const tree10 = tree('10 0 R');
const launch = '<< /Type /StructElem /S /Launch /F (calc.exe) >>';
const words = '/JavaScript 4 0 R /EF 4 0 R /AA << /O [] >> /Collection 4 0 R /XFA (x)';
const emptyTree = '<< /Kids [<< /Limits [(a) (b)] /Names [] >>] >>';

const refused: readonly (readonly [what: string, fault: string, parts: PdfParts])[] = [
  ['JavaScript on opening', 'active', { catalog: '/OpenAction << /S /JavaScript /JS (app.alert(1)) >>' }],
  ['JavaScript among the names', 'active', { catalog: '/Names << /JavaScript << /Names [(a) 10 0 R] >> >>' }],
  ['JavaScript behind a reference', 'active', { page: link('10 0 R'), objects: ['<< /S /JavaScript /JS 11 0 R >>'] }],
  ['the kind of an action behind a reference', 'active', { page: link('<< /S 10 0 R >>'), objects: ['/Launch'] }],
  ['the kind of an action that nothing refers to', 'active', { objects: ['/Launch'] }],
  ['JavaScript that nothing refers to', 'active', { objects: ['<< /S /JavaScript /JS (x) >>'] }],
  ['JavaScript behind a chain of actions', 'active', { page: link('<< /S /GoTo /Next << /S /JavaScript >> >>') }],
  ['an action of a field', 'active', { page: widget('/AA << /K << /S /GoTo >> >>') }],
  ['a button that acts', 'active', { page: widget('/A << /S /Hide /T (x) >>') }],
  ['a page that acts when it is shown', 'active', { page: '/AA << /O 10 0 R >>', objects: ['<< /S /URI >>'] }],
  ['a document that acts when it is closed', 'active', { catalog: '/AA 10 0 R', objects: ['<< /WC << /S /URI >> >>'] }],
  ['an address that opens by itself', 'active', { catalog: '/OpenAction << /S /URI /URI (https://a.example) >>' }],
  ['the same behind a reference', 'active', { catalog: '/OpenAction 10 0 R', objects: ['<< /S /URI /URI (a) >>'] }],
  ['a chain that opens by itself', 'active', { catalog: '/OpenAction << /S /GoTo /Next << /S /URI >> >>' }],
  ['a program that is launched', 'active', { page: link('<< /S /Launch /F (calc.exe) >>') }],
  ['a form that is sent', 'active', { page: link('<< /S /SubmitForm /F (https://a.example) >>') }],
  ['a form that is reset', 'active', { page: link('<< /S /ResetForm >>') }],
  ['data that are imported', 'active', { page: link('<< /S /ImportData /F (a.fdf) >>') }],
  ['a rendition', 'active', { page: link('<< /S /Rendition >>') }],
  ['a sound', 'active', { page: link('<< /S /Sound /Sound 10 0 R >>') }],
  ['a sound as an annotation', 'active', { page: '/Annots [<< /Subtype /Sound >>]' }],
  ['a movie', 'active', { page: link('<< /S /Movie >>') }],
  ['a movie as an annotation', 'active', { page: '/Annots [<< /Subtype /Movie >>]' }],
  ['a three-dimensional view', 'active', { page: link('<< /S /GoTo3DView >>') }],
  ['a three-dimensional model', 'active', { page: '/Annots [<< /Subtype /3D >>]' }],
  ['a screen for media', 'active', { page: '/Annots [<< /Subtype /Screen >>]' }],
  ['rich media', 'active', { page: '/Annots [<< /Subtype /RichMedia /RichMediaContent << >> >>]' }],
  ['an XFA form', 'active', { catalog: '/AcroForm << /XFA [(a) 10 0 R] >>' }],
  ['a form that has to be rendered', 'active', { catalog: '/NeedsRendering true' }],
  ['another document', 'external', { page: link('<< /S /GoToR /F (other.pdf) /D [0 /Fit] >>') }],
  ['a thread of another document', 'external', { page: link('<< /S /Thread /F (other.pdf) >>') }],
  ['a page of another document', 'external', { objects: [makePdfStream('/Ref << /F (other.pdf) /Page 0 >>', '')] }],
  ['a stream in another file', 'external', { objects: [makePdfStream('/F (secret.txt)', '')] }],
  ['a stream behind an address', 'external', { objects: ['<< /FS /URL /F (https://a.example) >>'] }],
  ['embedded files', 'embedded', { catalog: '/Names << /EmbeddedFiles << /Names [(a) 10 0 R] >> >>' }],
  ['a file that is attached to a page', 'embedded', { page: '/Annots [<< /Subtype /FileAttachment >>]' }],
  ['the content of an embedded file', 'embedded', { objects: [makePdfStream('/Type /EmbeddedFile', 'x')] }],
  ['a file specification with content', 'embedded', { objects: ['<< /Type /Filespec /EF << /F 10 0 R >> >>'] }],
  ['a document inside', 'embedded', { page: link('<< /S /GoToE /T << >> >>') }],
  ['a portfolio', 'embedded', { catalog: '/Collection << /View /D >>' }],
  [
    'an XFA form without a length',
    'active',
    { catalog: '/AcroForm << /XFA 10 0 R >>', objects: ['<< >> stream x endstream'] },
  ],
  [
    'an attached file without a length',
    'embedded',
    { catalog: '/X << /EF << /F 10 0 R >> >>', objects: ['<< >> stream x endstream'] },
  ],
  [
    'an action behind two references, which is a font as well',
    'active',
    {
      catalog: '/OpenAction 10 0 R',
      page: '/Resources << /Font 11 0 R >>',
      objects: ['11 0 R', '<< /S /JavaScript /JS (x) >>'],
    },
  ],
  ['a reference to itself', 'broken', { catalog: '/OpenAction 10 0 R', objects: ['10 0 R'] }],
  [
    'objects packed with parameters by their short name',
    'broken',
    { objects: [makePdfStream('/Type /ObjStm /N 1 /First 5 /DP << /Predictor 15 >>', '20 0 (x)')] },
  ],
  ['an element that opens', 'active', { catalog: `/OpenAction 10 0 R ${tree10}`, objects: [launch] }],
  ['the same behind its tree', 'active', { catalog: `${tree10} /OpenAction 10 0 R`, objects: [launch] }],
  ['an element with a script', 'active', { catalog: tree10, objects: ['<< /S /JavaScript /JS (x) >>'] }],
  ['a link to an element', 'active', { catalog: tree10, page: '/Annots [<< /A 10 0 R >>]', objects: [launch] }],
  ['an element in a chain', 'active', { catalog: `/AA << /WC 10 0 R >> ${tree10}`, objects: [launch] }],
  ['an attribute that acts', 'active', { catalog: tree('<< /S /P /A << /S /Launch >> >>') }],
  ['an element that is an annotation', 'active', { catalog: tree('<< /S /P /Subtype /Screen >>') }],
  ['the annotation of an element', 'active', { catalog: tree('<< /Type /OBJR /Obj << /Subtype /Movie >> >>') }],
  ['a tree of structure of a page', 'active', { page: tree('<< /S /Launch >>') }],
  ['a structure destination that is none', 'active', { catalog: '/OpenAction << /S /GoTo /SD << /S /Launch >> >>' }],
  ['roles as actions', 'active', { catalog: `/AA 3 0 R /StructTreeRoot << /RoleMap 3 0 R >>` }],
  ['a class that acts', 'active', { catalog: '/StructTreeRoot << /ClassMap << /X << /S /Launch >> >> >>' }],
  ['a destination that acts', 'active', { catalog: '/Dests << /X << /D [3 0 R /Fit] /A << /S /Launch >> >> >>' }],
  ['a destination that is an action', 'active', { catalog: '/Dests << /X << /S /Launch >> >>' }],
  ['destinations of a page', 'active', { page: '/Dests << /JavaScript [3 0 R] >>' }],
  ['information that is the catalog', 'active', { catalog: '/AA << /WC (x) >>', trailer: '/Info 1 0 R' }],
  ['information that acts', 'active', { trailer: '/Info << /A << /S /Launch >> >>' }],
  ['information of a page', 'embedded', { page: '/Info << /Collection << /View /D >> >>' }],
  [
    'fonts as annotations',
    'active',
    { page: '/Annots [10 0 R] /Resources << /Font 10 0 R >>', objects: ['<< /JS 1 >>'] },
  ],
  ['fonts as actions', 'active', { page: '/AA 10 0 R /Resources << /Font 10 0 R >>', objects: ['<< /O /URI >>'] }],
  ['resources that act', 'active', { page: '/Resources << /AA << /O << /S /URI >> >> >>' }],
  ['a stream as fonts', 'active', { page: '/Resources << /Font 10 0 R >>', objects: [makePdfStream('/JS (x)', '')] }],
  ['fonts in an array', 'active', { page: '/Resources << /Font [<< /JS (x) >>] >>' }],
  ['a font that acts', 'active', { page: '/Resources << /Font << /AA << /S /Launch >> >> >>' }],
  ['a list of files', 'embedded', { catalog: '/Names << /EmbeddedFiles 10 0 R >>', objects: ['<< /Names [(a)] >>'] }],
  ['encryption', 'encrypted', { trailer: '/Encrypt << /Filter /Standard /V 1 /R 2 /O (x) /U (x) /P -4 >>' }],
];

const accepted: readonly (readonly [what: string, parts: PdfParts])[] = [
  ['a page that is shown first', { catalog: '/OpenAction [3 0 R /Fit]' }],
  ['the same as an action', { catalog: '/OpenAction << /S /GoTo /D [3 0 R /Fit] >>' }],
  ['a link to an address', { page: link('<< /S /URI /URI (https://a.example) >>') }],
  ['a link inside', { page: link('<< /S /GoTo /D [3 0 R /Fit] >>') }],
  ['a form field', { catalog: '/AcroForm << /Fields [] >>', page: widget('') }],
  ['an empty list of actions', { page: '/AA << >>' }],
  ['types of structure', { catalog: tree('[<< /S /Screen /K [<< /S /Movie >>] >>]') }],
  ['a type behind a reference', { catalog: tree10, objects: ['<< /S 11 0 R /P 10 0 R >>', '/JavaScript'] }],
  ['roles', { catalog: '/StructTreeRoot << /RoleMap << /JavaScript /P /S /Screen /EF /Sound >> >>' }],
  ['roles of a namespace', { catalog: '/StructTreeRoot << /Namespaces [<< /RoleMapNS << /JS [/P] >> >>] >>' }],
  ['classes', { catalog: '/StructTreeRoot << /ClassMap << /AA << /O /Layout >> >> >>' }],
  ['a parent tree', { catalog: '/StructTreeRoot << /ParentTree << /Nums [0 [<< /S /Sound >>]] >> >>' }],
  ['an element of an outline', { catalog: '/Outlines << /First << /SE << /S /Screen >> >> >>' }],
  ['a structure destination', { catalog: '/OpenAction << /S /GoTo /D [3 0 R /Fit] /SD [<< /S /3D >>] >>' }],
  ['destinations', { catalog: '/Dests << /JavaScript [3 0 R /Fit] /AA << /D [3 0 R /Fit] >> >>' }],
  ['information', { trailer: '/Info << /Collection (Spring) /JavaScript (no) /Encrypt (no) >>' }],
  ['states of an appearance', { page: `/Annots [<< /Subtype /Widget /AP << /N << ${words} >> >> >>]` }],
  ['glyphs', { page: `/Resources << /Font << /F << /Subtype /Type3 /CharProcs << ${words} >> >> >> >>` }],
  ['colorants', { page: `/Resources << /ColorSpace << /JS [/DeviceN [/3D] << /Colorants << ${words} >> >>] >> >>` }],
  ['resources of forms', { catalog: `/AcroForm << /Fields [] /DR << /Font << ${words} >> >> >>` }],
  ...['Font', 'XObject', 'ExtGState', 'ColorSpace', 'Pattern', 'Shading', 'Properties'].map(
    (kind) => [`${kind} resources`, { page: `/Resources << /${kind} << ${words} >> >>` }] as const,
  ),
  ...['/AA << /WC null >>', '/OpenAction << >>', '/Collection << >>', '/NeedsRendering false', '/AF []'].map(
    (catalog) => [catalog, { catalog }] as const,
  ),
  ...['/AcroForm << /XFA [] >>', '/AcroForm << /XFA null >>', '/AcroForm << /XFA 30 0 R >>', '/Names 10 0 R'].map(
    (catalog) =>
      [catalog, { catalog, objects: ['<< /JavaScript << /Names [] >> /EmbeddedFiles 11 0 R >>', emptyTree] }] as const,
  ),
  ['words in texts that would be keys', { objects: ['(/JavaScript /Launch \\) /JS) % /Encrypt << /S /Launch >>'] }],
  ['a name in UTF-8', { objects: ['<< /Type /Font /BaseFont /Stra\xc3\x9fe\xe2\x80\x94\xff /Subtype /Type1 >>'] }],
  ['words that only begin alike', { objects: ['<< /S /Soundtrack /JSON (x) /Title (Launch) >>'] }],
];

describe('a PDF that is not static', () => {
  it.each(refused)('is refused for %s', async (_what, fault, parts) => {
    expect(await describePdfVerdict(makePdf(parts))).toBe(fault);
  });

  it.each(refused)('is refused for %s in a compressed stream of objects', async (_what, fault, parts) => {
    expect(await describePdfVerdict(makePdf(parts, 'packed'))).toBe(fault);
  });

  it.each(refused)('is refused for %s with its names escaped', async (_what, fault, parts) => {
    expect(await describePdfVerdict(makePdf(escapeNames(parts), 'packed'))).toBe(fault);
  });
});

describe('a static PDF', () => {
  it.each(accepted)('is accepted with %s, and opens', async (_what, parts) => {
    for (const packing of ['plain', 'packed'] as const) {
      const bytes = makePdf(parts, packing);

      expect(await describePdfVerdict(bytes)).toBe('accepted with 1 page(s)');
      expect(drawFirstPage((await openStaticPdf(bytes, pdfPagesMax)).pdf, 1_280)).toMatchObject({
        width: 800,
        height: 400,
      });
    }
  });
});

// Writes every letter of the names in hex; readers treat both spellings as the same name.
function escapeNames(parts: PdfParts): PdfParts {
  const inHex = (text: string) =>
    text.replaceAll(/\/([A-Za-z]+)/g, (whole, name: string) =>
      // The PDF generator needs plain numbers as the lengths of streams.
      name === 'Length' ? whole : `/${[...name].map((letter) => `#${letter.charCodeAt(0).toString(16)}`).join('')}`,
    );
  return Object.fromEntries(
    Object.entries(parts).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.map((text: string) => inHex(text)) : inHex(String(value)),
    ]),
  );
}

describe('an object that is defined twice', () => {
  it('counts as PDFium reads it and as it is defined last, because readers differ', async () => {
    const harmless = makePdf({ page: link('10 0 R'), objects: ['<< /S /GoTo >>'] });
    const both = Buffer.concat([harmless, Buffer.from('10 0 obj\n<< /S /Launch >>\nendobj\n')]);
    const first = makePdf({ page: link('10 0 R'), objects: ['<< /S /Launch >>'] });
    const hidden = Buffer.concat([first, Buffer.from('10 0 obj\n<< /S /GoTo >>\nendobj\n')]);

    expect(await describePdfVerdict(harmless)).toMatch('accepted');
    expect(await describePdfVerdict(both)).toBe('active');
    expect(await describePdfVerdict(hidden)).toBe('active');
  });
});

describe('a PDF that readers understand differently', () => {
  const append = (parts: PdfParts, text: string) => Buffer.concat([makePdf(parts), Buffer.from(text, 'latin1')]);

  it.each([
    ['the byte 80 after a name', '/S/Launch\x80/F (x)'],
    ['the byte FF after a name', '/S/Launch\xff/F (x)'],
    ['the byte FF after a key', '/S\xff/Launch'],
    ['bytes FF that shift the keys', '/X\xffy /Q /S /Launch /P /Z\xffw'],
  ])('is refused as PDFium and as others read %s', async (_what, members) => {
    expect(await describePdfVerdict(makePdf({ page: link(`<< ${members} >>`) }))).toBe('active');
  });

  it.each(['50.0 0', '50.7 0', '5-0 0', '50 0.0', '50 00000000000', '50\xff0\x80', `50 0 %${'x'.repeat(80)}\n`])(
    'is refused for an object with the unclear number %j',
    async (number) => {
      const pdf = append({ catalog: '/OpenAction 50 0 R' }, `${number} obj << /S /URI >> endobj`);
      expect(await describePdfVerdict(pdf)).toBe('active');
    },
  );

  it.each(['10.7 0 R', '1-0 0 R', '--10 0 R', '10..0 0 R'])(
    'is refused for the unclear reference %s',
    async (reference) => {
      expect(await describePdfVerdict(makePdf({ catalog: `/X ${reference}`, objects: ['<< /S /URI >>'] }))).toBe(
        'broken',
      );
    },
  );

  const packed = (length: number, lines: string) =>
    append({}, `50 0 obj << /Type /ObjStm /N 1 /First 5 /Length ${length} >> stream${lines}\nendstream endobj`);

  it('is refused for a packed object behind the length of its stream', async () => {
    expect(await describePdfVerdict(packed(12, '\n51 0 /Harmless'))).toBe('broken');
    expect(await describePdfVerdict(packed(4, '\n51 0 /Harmless'))).toBe('broken');
    expect(await describePdfVerdict(packed(4, '\n51 0'))).toBe('broken');
    expect(await describePdfVerdict(packed(14, '\n51 0 /Harmless'))).toMatch('accepted');
  });

  it('is refused for a stream of objects that does not begin on a new line', async () => {
    expect(await describePdfVerdict(packed(14, ' 51 0 /Harmless\n51 0 /Launch'))).toBe('broken');
    // The compressed data starts with a bracket, which ends the word "stream".
    const harmless = deflateSync('51 0 /Harmless', { windowBits: 10 }).toString('latin1');
    const form = '<< /Type /ObjStm /N 1 /First 5 /Length 9 /Filter /FlateDecode >>';
    expect(await describePdfVerdict(append({}, `50 0 obj ${form} stream\n${harmless}\nendstream`))).toMatch('accepted');
    expect(await describePdfVerdict(append({}, `50 0 obj ${form} stream${harmless}\nendstream`))).toBe('broken');
  });
});

describe('a PDF that cannot be read', () => {
  it.each([
    ['without pages', Buffer.from('%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj')],
    ['cut in the middle of a dictionary', Buffer.from('%PDF-1.7\n1 0 obj << /Pages 2 0 R /Names << /A (b')],
    ['with a stream of objects that is damaged', damage(makePdf({}, 'packed'))],
    ['nested without end', Buffer.from(`%PDF-1.7\n1 0 obj ${'['.repeat(100_000)}`)],
  ])('is refused: %s', async (_what, bytes) => {
    expect(await describePdfVerdict(bytes)).toBe('broken');
  });

  it('is refused when its objects are read over and over', async () => {
    const tangle = `<< /A ${'[ 1 0 obj '.repeat(60)}${'x '.repeat(50_000)}${'] '.repeat(60)} >>`;

    expect(await describePdfVerdict(makePdf({ objects: [tangle] }))).toBe('too_costly');
  });
});

it('is refused when it refers over and over to what is defined over and over', async () => {
  const objects = Array.from({ length: 4_000 }, () => '10 0 obj << /S 10 0 R >> endobj').join('\n');

  expect(await describePdfVerdict(Buffer.concat([makePdf(), Buffer.from(objects)]))).toBe('too_costly');
});

function damage(bytes: Buffer): Buffer {
  const at = bytes.indexOf('stream\n') + 'stream\n'.length;
  return Buffer.concat([bytes.subarray(0, at), Buffer.alloc(20, 0xee), bytes.subarray(at + 20)]);
}
