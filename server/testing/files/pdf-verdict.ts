import { openStaticPdf } from '../../src/inspection/pdf/inspect-pdf.ts';
import { FileFault } from '../../src/inspection/verdict.ts';

export const pdfPagesMax = 200;

/** Returns the reason for the refusal or the number of pages. */
export async function describePdfVerdict(bytes: Buffer): Promise<string> {
  try {
    return `accepted with ${(await openStaticPdf(bytes, pdfPagesMax)).pageCount} page(s)`;
  } catch (error) {
    if (error instanceof FileFault) return error.fault;
    throw error;
  }
}
