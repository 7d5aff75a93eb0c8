import { closeSync, openSync, readSync } from 'node:fs';
import type { FileVerdict } from './parse-verdict.ts';
import { FileFault, type InspectionRequest, type MediaType } from './verdict.ts';

const signatureMaxBytes = 16;
const signatures: readonly (readonly [MediaType, Buffer])[] = [
  ['image/jpeg', Buffer.from([0xff, 0xd8, 0xff])],
  ['image/png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
  ['application/pdf', Buffer.from('%PDF-')],
];

/** Inspects one untrusted file. Runs only in a process that may crash. */
export async function inspectFile(inspection: InspectionRequest): Promise<FileVerdict> {
  try {
    // By the first bytes, never by the file name or the declared type (specification, "Limits").
    const start = readStart(inspection.file);
    const [format] = signatures.find(([, signature]) => start.indexOf(signature) === 0) ?? [];
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

function readStart(path: string): Buffer {
  const start = Buffer.alloc(signatureMaxBytes);
  const file = openSync(path, 'r');
  try {
    return start.subarray(0, readSync(file, start));
  } finally {
    closeSync(file);
  }
}
