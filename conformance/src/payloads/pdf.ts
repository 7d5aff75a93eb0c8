import { createHash } from 'node:crypto';

/** What a PDF has beyond its pages. */
export interface PdfParts {
  readonly pages?: number;
  /** Members of the catalog, where documents say what happens by itself. */
  readonly catalog?: string;
  readonly trailer?: string;
}

/** Makes a PDF of empty pages, with correct cross-references. */
export function makePdf({ pages = 1, catalog = '', trailer = '' }: PdfParts = {}): Buffer {
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

/** PDFs that do something. */
export const activePdfs: ReadonlyMap<string, () => Buffer> = new Map([
  ['with JavaScript at its opening', () => makePdf({ catalog: `/OpenAction ${javaScript}` })],
  [
    'with JavaScript among its names',
    () => makePdf({ catalog: `/Names << /JavaScript << /Names [(a) ${javaScript}] >> >>` }),
  ],
  ['that starts a program', () => makePdf({ catalog: '/OpenAction << /S /Launch /F (calc.exe) >>' })],
]);

const javaScript = String.raw`<< /S /JavaScript /JS (app.alert\(1\)) >>`;

// The text that fills up passwords, from the PDF specification.
const padding = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');

/** Makes a PDF that is encrypted for an empty password, which many readers open without a word. */
export function makeEncryptedPdf(): Buffer {
  const id = md5(Buffer.from('conformance'));
  const permissions = Buffer.from('fcffffff', 'hex');
  const owner = rc4(md5(padding).subarray(0, 5), padding);
  const key = md5(Buffer.concat([padding, owner, permissions, id])).subarray(0, 5);
  const [o, u, name] = [owner, rc4(key, padding), id].map((bytes) => `<${bytes.toString('hex')}>`);
  return makePdf({ trailer: `/Encrypt << /Filter /Standard /V 1 /R 2 /O ${o} /U ${u} /P -4 >> /ID [${name} ${name}]` });
}

function md5(bytes: Buffer): Buffer {
  return createHash('md5').update(bytes).digest();
}

// Written out because the cryptography of Node.js has put it aside.
function rc4(key: Buffer, bytes: Buffer): Buffer {
  const state = Array.from({ length: 256 }, (_, index) => index);
  const at = (index: number) => state[index & 255] ?? 0;
  const swap = (one: number, other: number) => {
    const kept = at(one);
    state[one & 255] = at(other);
    state[other & 255] = kept;
  };
  let other = 0;
  for (let index = 0; index < 256; index += 1) {
    other = (other + at(index) + (key[index % key.length] ?? 0)) & 255;
    swap(index, other);
  }
  let one = 0;
  other = 0;
  const coded = bytes.map((byte) => {
    one = (one + 1) & 255;
    other = (other + at(one)) & 255;
    swap(one, other);
    return byte ^ at(at(one) + at(other));
  });
  return Buffer.from(coded);
}
