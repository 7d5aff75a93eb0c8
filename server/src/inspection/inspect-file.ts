import { closeSync, openSync, readSync } from 'node:fs';
import type { FileVerdict } from './parse-verdict.ts';
import { FileFault, type InspectionRequest, type MediaType } from './verdict.ts';

const startMaxBytes = 1_024;
const pdfSignature = '%PDF-';
const signatures: readonly (readonly [MediaType, string])[] = [
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/png', '\x89PNG\r\n\x1a\n'],
];

// Images, archives, programs, videos, HTML and XML must not be accepted as a PDF that starts later in the file (§5.19).
const otherStarts = [
  'GIF8',
  'RIFF',
  'BM',
  'II*\0',
  'II+\0',
  'MM\0*',
  'MM\0+',
  '\0\0\x01\0',
  '\0\0\x02\0',
  '8BPS',
  '\x8aMNG',
  '\xff\x0a',
  '\xff\x4f\xff',
  '#?RADIANCE',
  '#define',
  'PK',
  '\x1f\x8b',
  'Rar!',
  '7z\xbc\xaf',
  '\xd0\xcf\x11\xe0',
  '\x1aE\xdf\xa3',
  '\x7fELF',
  'MZ',
  '#!',
  '\xca\xfe\xba\xbe',
  '\xcf\xfa\xed\xfe',
  '\xce\xfa\xed\xfe',
  '\xfe\xed\xfa',
  '%!',
  '\xc5\xd0\xd3\xc6',
];
const otherForms = [
  /^.{4}(?:ftyp|moov|mdat|wide|free|skip|pnot|jP {2}|JXL )/s,
  /^P[1-7]\s/,
  /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*</,
];

/** Inspects an untrusted file. Call it only in a process that may crash. */
export async function inspectFile(inspection: InspectionRequest): Promise<FileVerdict> {
  try {
    // The format is recognized by the first bytes, never by the file name or the declared type (§5.12).
    const format = recognize(readStart(inspection.file));
    if (format === undefined) throw new FileFault('unknown_format');
    if (!inspection.accepts.includes(format)) throw new FileFault('format_not_for_purpose');
    if (format === 'application/pdf') {
      const { inspectPdf } = await import('./pdf/inspect-pdf.ts');
      return await inspectPdf(inspection);
    }
    const { inspectImage } = await import('./image/inspect-image.ts');
    return await inspectImage(inspection, format);
  } catch (error) {
    if (error instanceof FileFault) return { kind: 'refused', fault: error.fault };
    throw error;
  }
}

/** The result has no line breaks, because the server reads one line per file. */
export function formatVerdict(verdict: FileVerdict): string {
  if (verdict.kind === 'refused') return JSON.stringify({ verdict });
  const { jpeg, ...size } = verdict.preview;
  const picture = Buffer.from(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength).toString('base64');
  return JSON.stringify({ verdict: { ...verdict, preview: size }, picture });
}

/**
 * Disables `eval` and the function constructors. The Node.js option for this would increase the processor time of each
 * start by a sixth, because Node.js would recompile its own modules.
 */
export function forbidCodeFromText(): void {
  // This is not an arrow function, so that a call with `new` throws the same error.
  function forbidden(): never {
    throw new EvalError('eval is disabled in this process.');
  }
  // Keeps the prototype, because libraries check `instanceof Function` and call its methods.
  forbidden.prototype = Function.prototype;
  const kinds = [() => undefined, async () => undefined, function* () {}, async function* () {}];
  for (const kind of kinds) Object.defineProperty(kind.constructor.prototype, 'constructor', { value: forbidden });
  Object.assign(globalThis, { eval: forbidden, Function: forbidden });
}

function recognize(start: string): MediaType | undefined {
  const [image] = signatures.find(([, signature]) => start.startsWith(signature)) ?? [];
  if (image !== undefined) return image;
  const isOther = otherStarts.some((other) => start.startsWith(other)) || otherForms.some((form) => form.test(start));
  return start.includes(pdfSignature) && !isOther ? 'application/pdf' : undefined;
}

function readStart(path: string): string {
  // The PDF signature may begin at the last of the `startMaxBytes`.
  const start = Buffer.alloc(startMaxBytes + pdfSignature.length - 1);
  const file = openSync(path, 'r');
  try {
    return start.toString('latin1', 0, readSync(file, start));
  } finally {
    closeSync(file);
  }
}
