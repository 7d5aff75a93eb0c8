import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { makePreview } from '../image/inspect-image.ts';
import type { FileVerdict } from '../parse-verdict.ts';
import { FileFault, type InspectionRequest } from '../verdict.ts';
import { collectObjects } from './pdf-objects.ts';
import { countPages } from './pdf-pages.ts';
import { findPolicyFault } from './pdf-policy.ts';
import { drawFirstPage } from './pdfium.ts';

/** Checks that a PDF is static (D-39), opens it with an engine and draws its first page. */
export async function inspectPdf(inspection: InspectionRequest): Promise<FileVerdict> {
  const bytes = await readFile(inspection.file);
  const pageCount = checkStatic(bytes, inspection.pdfMaxPages);
  const { width, height, pixels } = await drawFirstPage(bytes, inspection.previewMaxPixelsPerSide);
  const preview = await makePreview(() => sharp(pixels, { raw: { width, height, channels: 4 } }), inspection);
  return { kind: 'accepted', mediaType: 'application/pdf', width: null, height: null, pageCount, preview };
}

/** The number of pages of a PDF that can neither act nor carry anything; refuses any other. */
export function checkStatic(bytes: Buffer, maxPages: number): number {
  const objects = collectObjects(bytes);
  const fault = findPolicyFault(objects);
  if (fault !== undefined) throw new FileFault(fault);
  if (objects.fault !== undefined) throw objects.fault;
  const pageCount = countPages(objects, maxPages);
  if (pageCount === 0) throw new FileFault('broken');
  if (pageCount > maxPages) throw new FileFault('too_many_pages');
  return pageCount;
}
