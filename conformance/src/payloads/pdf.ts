/** Makes a PDF of empty pages, with correct cross-references. The catalog is where documents say what happens by itself. */
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

// Encryption of revision 2 for an empty password, computed once: Node.js no longer has RC4.
const owner = '2055c756c72e1ad702608e8196acad447ad32d17cff583235f6dd15fed7dab67';
const user = '7e59ffd9284e8c0f11d6b53162d2af44329d0808cfaab317e5c8060d10c023ac';
const id = '40b58d6b7e0aec7f1745e78800f1a0f9';

/** Makes a PDF that is encrypted for an empty password, which many readers open without a prompt. */
export function makeEncryptedPdf(): Buffer {
  const encryption = `<< /Filter /Standard /V 1 /R 2 /O <${owner}> /U <${user}> /P -4 >>`;
  return makePdf({ trailer: `/Encrypt ${encryption} /ID [<${id}> <${id}>]` });
}
