import { openStaticPdf } from '../../src/inspection/pdf/inspect-pdf.ts';
import { FileFault } from '../../src/inspection/verdict.ts';

/** The page limit in the tests of PDFs. */
export const pdfPagesMax = 200;

/** Inspects a PDF and returns, as text, why it is refused or how many pages it has. */
export async function describePdfVerdict(bytes: Buffer): Promise<string> {
  try {
    return `accepted with ${(await openStaticPdf(bytes, pdfPagesMax)).pageCount} page(s)`;
  } catch (error) {
    if (error instanceof FileFault) return error.fault;
    throw error;
  }
}
