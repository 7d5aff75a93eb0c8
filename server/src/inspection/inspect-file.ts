import { open } from 'node:fs/promises';
import { findFormat } from './file-format.ts';
import { FileFault, type Inspection, type Verdict } from './verdict.ts';

const signatureMaxBytes = 16;

/** Looks at one file of whoever sent it. Runs only in a process that may die of it. */
export async function inspectFile(inspection: Inspection): Promise<Verdict> {
  try {
    const format = findFormat(await readStart(inspection.file));
    if (format === undefined) throw new FileFault('unknown_format');
    if (!inspection.accepts.includes(format)) throw new FileFault('format_not_for_purpose');
    if (format === 'application/pdf') {
      const { inspectPdf } = await import('./inspect-pdf.ts');
      return await inspectPdf(inspection);
    }
    const { inspectImage } = await import('./inspect-image.ts');
    return await inspectImage(inspection, format);
  } catch (error) {
    if (error instanceof FileFault) return { kind: 'refused', fault: error.fault };
    throw error;
  }
}

async function readStart(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(signatureMaxBytes), 0, signatureMaxBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
