import { makeAnimatedPng } from './png.ts';

/** Makes a PDF with empty pages and correct cross-references. `catalog` can add automatic actions. */
export function makePdf({ pages = 1, catalog = '', trailer = '' } = {}): Buffer {
  const first = 3;
  const kids = Array.from({ length: pages }, (_, index) => `${first + index} 0 R`).join(' ');
  const page = '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>';
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`,
    ...Array.from({ length: pages }, () => page),
  ];
  let text = '%PDF-1.4\n';
  const rows = objects.map((object, index) => {
    const row = `${String(text.length).padStart(10, '0')} 00000 n \n`;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return row;
  });
  const size = objects.length + 1;
  const start = text.length;
  text += `xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}`;
  text += `trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

// Encryption with an empty password (revision 2 of the standard), precomputed because Node.js no longer has RC4.
const owner = '2055c756c72e1ad702608e8196acad447ad32d17cff583235f6dd15fed7dab67';
const user = '7e59ffd9284e8c0f11d6b53162d2af44329d0808cfaab317e5c8060d10c023ac';
const id = '40b58d6b7e0aec7f1745e78800f1a0f9';

const encryption = `<< /Filter /Standard /V 1 /R 2 /O <${owner}> /U <${user}> /P -4 >>`;
const javaScript = String.raw`<< /S /JavaScript /JS (app.alert\(1\)) >>`;
const gif = Buffer.from('R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=', 'base64');
const webp = Buffer.from('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vv9UAA=', 'base64');
const bmp = Buffer.from(
  '424d3a0000000000000036000000280000000100000001000000010018000000000004000000130b0000130b00000000000000000000ffffff00',
  'hex',
);
const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>',
);
// The first box of a video, which identifies its format, and an empty media box.
const mp4 = Buffer.from('00000018667479706d703432000000006d70343269736f6d000000086d646174', 'hex');
const text = Buffer.from('This is a text and no picture.\n');

export interface RefusedFile {
  readonly what: string;
  readonly bytes: Buffer;
  readonly filename: string;
  readonly type: string;
}

export const refusedPictures: readonly RefusedFile[] = [
  { what: 'a GIF', bytes: gif, filename: 'picture.gif', type: 'image/gif' },
  { what: 'an animated PNG', bytes: makeAnimatedPng(), filename: 'picture.png', type: 'image/png' },
  { what: 'an SVG', bytes: svg, filename: 'picture.svg', type: 'image/svg+xml' },
  { what: 'a BMP', bytes: bmp, filename: 'picture.bmp', type: 'image/bmp' },
  { what: 'a WebP', bytes: webp, filename: 'picture.webp', type: 'image/webp' },
  { what: 'a video', bytes: mp4, filename: 'film.mp4', type: 'video/mp4' },
];

const work = { filename: 'work.pdf', type: 'application/pdf' } as const;

/** PDFs with active content, and one encrypted with an empty password, which many readers try without asking. */
export const refusedPdfs: readonly RefusedFile[] = [
  { what: 'an encrypted PDF', bytes: makePdf({ trailer: `/Encrypt ${encryption} /ID [<${id}> <${id}>]` }), ...work },
  {
    what: 'a PDF that runs JavaScript when opened',
    bytes: makePdf({ catalog: `/OpenAction ${javaScript}` }),
    ...work,
  },
  {
    what: 'a PDF with JavaScript among its names',
    bytes: makePdf({ catalog: `/Names << /JavaScript << /Names [(a) ${javaScript}] >> >>` }),
    ...work,
  },
  {
    what: 'a PDF that starts a program',
    bytes: makePdf({ catalog: '/OpenAction << /S /Launch /F (calc.exe) >>' }),
    ...work,
  },
];

export const mislabelledFiles: readonly RefusedFile[] = [
  { what: 'a GIF that is declared as a JPEG', bytes: gif, filename: 'photo.jpg', type: 'image/jpeg' },
  { what: 'a text that is declared as a PNG', bytes: text, filename: 'photo.png', type: 'image/png' },
];
