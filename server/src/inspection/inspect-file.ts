import { closeSync, openSync, readSync } from 'node:fs';
import { findFormat } from './file-format.ts';
import type { FileVerdict } from './parse-verdict.ts';
import { FileFault, type InspectionRequest } from './verdict.ts';

const signatureMaxBytes = 16;

/** Inspects one untrusted file. Runs only in a process that may crash. */
export async function inspectFile(inspection: InspectionRequest): Promise<FileVerdict> {
  try {
    const format = findFormat(readStart(inspection.file));
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

function readStart(path: string): Uint8Array {
  const start = Buffer.alloc(signatureMaxBytes);
  const file = openSync(path, 'r');
  try {
    return start.subarray(0, readSync(file, start));
  } finally {
    closeSync(file);
  }
}
