import { openStaticPdf } from '../../src/inspection/pdf/inspect-pdf.ts';
import { FileFault } from '../../src/inspection/verdict.ts';

/** The page limit in the tests of PDFs. */
export const pagesMax = 200;

/** The reason why a PDF is refused, or the number of pages of an accepted one. */
export async function faultOf(bytes: Buffer): Promise<string> {
  try {
    return `accepted with ${(await openStaticPdf(bytes, pagesMax)).pageCount} page(s)`;
  } catch (error) {
    if (error instanceof FileFault) return error.fault;
    throw error;
  }
}
