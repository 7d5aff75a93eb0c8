import { deflateSync } from 'node:zlib';

/** PDF source that is added to the smallest document that PDF readers can open. */
export interface PdfParts {
  readonly catalog?: string;
  readonly page?: string;
  readonly trailer?: string;
  /** Additional objects, numbered from 10. */
  readonly objects?: readonly string[];
  /** Objects that replace the only page with a page tree; the first one has the number 2 and is the root. */
  readonly pages?: readonly string[];
}

/** `packed` objects are compressed in an object stream. */
type Packing = 'plain' | 'packed';

const firstFreeNumber = 10;

/** The cross-references are correct. */
export function makePdf(parts: PdfParts = {}, packing: Packing = 'plain'): Buffer {
  const bodies = new Map<number, string>([[1, `<< /Type /Catalog /Pages 2 0 R ${parts.catalog ?? ''} >>`]]);
  const pages = parts.pages ?? [
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] ${parts.page ?? ''} >>`,
  ];
  for (const [index, body] of pages.entries()) bodies.set(2 + index, body);
  const free = Math.max(firstFreeNumber, 2 + pages.length);
  for (const [index, body] of (parts.objects ?? []).entries()) bodies.set(free + index, body);
  return packing === 'plain' ? writePlain(bodies, parts.trailer ?? '') : writePacked(bodies, parts.trailer ?? '');
}

function writeObjects(bodies: Iterable<readonly [number: number, body: string]>) {
  const offsets = new Map<number, number>();
  let text = '%PDF-1.7\n';
  for (const [number, body] of bodies) {
    offsets.set(number, text.length);
    text += `${number} 0 obj\n${body}\nendobj\n`;
  }
  return { text, offsets };
}

function writePlain(bodies: ReadonlyMap<number, string>, trailer: string): Buffer {
  const { text, offsets } = writeObjects(bodies);
  const size = Math.max(...bodies.keys()) + 1;
  const lines = Array.from({ length: size }, (_, number) => {
    const offset = offsets.get(number);
    return offset === undefined ? '0000000000 65535 f \n' : `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const end = `trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(`${text}xref\n0 ${size}\n${lines.join('')}${end}`, 'latin1');
}

function writePacked(bodies: ReadonlyMap<number, string>, trailer: string): Buffer {
  // A stream cannot be inside an object stream, so streams stay outside.
  const inner = [...bodies].filter(([, body]) => !body.includes('stream'));
  const outer = [...bodies].filter(([, body]) => body.includes('stream'));
  const streamNumber = Math.max(...bodies.keys()) + 1;
  const xrefNumber = streamNumber + 1;
  let at = 0;
  const heads = inner.map(([number, body]) => {
    const head = `${number} ${at} `;
    at += body.length + 1;
    return head;
  });
  const head = heads.join('');
  const packed = deflateSync(Buffer.from(head + inner.map(([, body]) => body).join('\n'), 'latin1'));
  const form = `/Type /ObjStm /N ${inner.length} /First ${head.length} /Filter /FlateDecode`;
  const { text, offsets } = writeObjects([...outer, [streamNumber, makePdfStream(form, packed.toString('latin1'))]]);
  offsets.set(xrefNumber, text.length);
  const table = Buffer.alloc((xrefNumber + 1) * 7);
  for (let number = 0; number <= xrefNumber; number += 1) {
    const index = inner.findIndex(([known]) => known === number);
    const offset = offsets.get(number);
    table.writeUInt8(index !== -1 ? 2 : Number(offset !== undefined), number * 7);
    table.writeUInt32BE(index !== -1 ? streamNumber : (offset ?? 0), number * 7 + 1);
    table.writeUInt16BE(index !== -1 ? index : 0, number * 7 + 5);
  }
  const dictionary = `/Type /XRef /Size ${xrefNumber + 1} /W [1 4 2] /Root 1 0 R ${trailer}`;
  const xref = `${xrefNumber} 0 obj\n${makePdfStream(dictionary, table.toString('latin1'))}\nendobj\n`;
  return Buffer.from(`${text}${xref}startxref\n${text.length}\n%%EOF\n`, 'latin1');
}

export function makePdfStream(dictionary: string, content: string): string {
  return `<< ${dictionary} /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

/** Appends an incremental update. An object is either a new definition or the offset of an earlier one. */
export function updatePdf(pdf: Buffer, objects: Readonly<Record<number, string | number>>, trailer = ''): Buffer {
  let text = pdf.toString('latin1');
  const previous = /startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1];
  const table = Object.entries(objects).map(([number, body]) => {
    const at = typeof body === 'number' ? body : text.length;
    if (typeof body === 'string') text += `${number} 0 obj\n${body}\nendobj\n`;
    return `${number} 1\n${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const end = `trailer\n<< ${trailer} /Size 90 /Root 1 0 R /Prev ${previous} >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(`${text}xref\n${table.join('')}${end}`, 'latin1');
}
