import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { makePreview } from '../image/inspect-image.ts';
import type { FileVerdict } from '../parse-verdict.ts';
import { FileFault, type InspectionRequest } from '../verdict.ts';
import { type PdfObject, PdfObjects, type PdfScan, readEngineCopy, scanObjects } from './pdf-objects.ts';
import { countPages, findPdfRoots } from './pdf-pages.ts';
import { findPolicyFault } from './pdf-policy.ts';
import { hasPlainTables } from './pdf-tables.ts';
import { drawFirstPage, openPdf, type PdfDocument, writePlainCopy } from './pdfium.ts';

/** Opens a PDF with an engine, checks that it is static (§5.18) and draws its first page. */
export async function inspectPdf(inspection: InspectionRequest): Promise<FileVerdict> {
  const bytes = await readFile(inspection.file);
  const { pageCount, pdf } = await openStaticPdf(bytes, inspection.pdfMaxPages);
  const { width, height, pixels } = drawFirstPage(pdf, inspection.previewMaxPixelsPerSide);
  const preview = await makePreview(() => sharp(pixels, { raw: { width, height, channels: 4 } }), inspection);
  const kept = { mediaType: 'application/pdf', keptBytes: bytes.length } as const;
  return { kind: 'accepted', ...kept, width: null, height: null, pageCount, preview };
}

/** Opens a PDF without actions or embedded content, and counts its pages; refuses any other PDF. */
export async function openStaticPdf(bytes: Buffer, maxPages: number): Promise<{ pageCount: number; pdf: PdfDocument }> {
  // The scan precedes the engine, because the scan limits the size of decompressed objects.
  const scan = scanObjects(bytes, 'outermost');
  if (scan.fault?.fault === 'too_costly') throw scan.fault;
  const pdf = await openPdf(bytes);
  const isOrderly = pdf?.hasCrossReferences === true && !scan.isUnclear;
  const isDisputable = scan.hasSkipped || hasRepeated(scan.objects);
  const isAgreed = isOrderly && (!isDisputable || hasPlainTables(bytes, scan));
  const { fault, objects } = isAgreed ? scan : scanObjects(bytes, 'everywhere');
  // A reader that rebuilds the cross-references uses the last definition of each object.
  const others = isAgreed ? new Map(objects.map((object) => [object.number, object])).values() : objects;
  const views = isOrderly ? viewsOf(pdf, scan, isDisputable, others) : viewsOfUnclear(pdf, objects);
  const found = findPolicyFault(views.judged) ?? fault?.fault;
  if (pdf === undefined || found !== undefined) throw new FileFault(found ?? 'broken', fault);
  const pageCount = countPages(views.seen, maxPages);
  if (pageCount === 0) throw new FileFault('broken');
  if (pageCount > maxPages) throw new FileFault('too_many_pages');
  return { pageCount, pdf };
}

/** `seen`: the objects that the engine reads in the newest revision; `judged`: all that any reader may read. */
interface Views {
  readonly seen: PdfObjects;
  readonly judged: PdfObjects;
}

function hasRepeated(objects: readonly PdfObject[]): boolean {
  const numbers = objects.flatMap(({ number }) => (number === undefined ? [] : [number]));
  return new Set(numbers).size < numbers.length;
}

function viewsOf(pdf: PdfDocument, scan: PdfScan, isDisputable: boolean, others: Iterable<PdfObject>): Views {
  const all = new PdfObjects(scan.objects);
  // If each object is defined once in the whole file, the engine and all readers find the same objects.
  if (!isDisputable && findPdfRoots(all).length === 1) {
    if (countPages(all, pdf.pageCount) === pdf.pageCount) return { seen: all, judged: all };
  }
  const seen = readEngineCopy(writePlainCopy(pdf), (number) => {
    const [object, another] = all.definitionsOf(number);
    return scan.hasSkipped || another !== undefined ? undefined : object;
  });
  return { seen: new PdfObjects(seen), judged: new PdfObjects([...new Set([...seen, ...others])]) };
}

// If readers must search for objects, or find different ones, every definition is checked.
function viewsOfUnclear(pdf: PdfDocument | undefined, objects: readonly PdfObject[]): Views {
  const seen = pdf === undefined ? [] : readEngineCopy(writePlainCopy(pdf), () => undefined);
  return { seen: new PdfObjects(seen), judged: new PdfObjects([...seen, ...objects]) };
}
