import { describe, expect, it } from 'vitest';
import { formatVerdict } from './inspect-file.ts';
import { type AcceptedVerdict, parseVerdict, verdictLineMaxLength } from './parse-verdict.ts';
import type { InspectionRequest } from './verdict.ts';

const request: InspectionRequest = {
  file: '/file',
  fileBytes: 5_000,
  accepts: ['image/jpeg', 'application/pdf'],
  imageMaxPixels: 20_000_000,
  pdfMaxPages: 200,
  previewMaxPixelsPerSide: 1_280,
  previewMaxBytes: 1_000,
};
const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(997, 1)]);
const size = { width: 1_280, height: 1_280 };
const image: AcceptedVerdict = {
  kind: 'accepted',
  mediaType: 'image/jpeg',
  keptBytes: 4_000,
  width: 5_000,
  height: 4_000,
  pageCount: null,
  preview: { ...size, jpeg },
};
const pdf: AcceptedVerdict = {
  ...image,
  mediaType: 'application/pdf',
  keptBytes: 5_000,
  width: null,
  height: null,
  pageCount: 200,
};

describe('the verdict of an inspector', () => {
  it.each([image, pdf, { kind: 'refused', fault: 'broken' } as const])('is read as it was written', (verdict) => {
    const line = formatVerdict(verdict);

    expect(parseVerdict(line, request)).toEqual(verdict);
    expect(line.length).toBeLessThanOrEqual(verdictLineMaxLength(request));
  });

  it.each([
    ['of a type that the purpose refuses', { ...image, mediaType: 'image/png' }],
    ['of more pixels than are accepted', { ...image, width: 5_001 }],
    ['of a size that no database holds', { ...image, width: 1e300 }],
    ['of more bytes than were sent', { ...image, keptBytes: 5_001 }],
    ['of no byte', { ...image, keptBytes: 0 }],
    ['of a part of a PDF', { ...pdf, keptBytes: 4_999 }],
    ['of an image without a size', { ...image, width: null, height: null }],
    ['of an image with pages', { ...image, pageCount: 1 }],
    ['of a PDF with a size', { ...pdf, width: 1, height: 1 }],
    ['of too many pages', { ...pdf, pageCount: 201 }],
    ['with too wide a preview', { ...image, preview: { ...image.preview, width: 1_281 } }],
    ['with too large a preview', { ...image, preview: { ...size, jpeg: Buffer.concat([jpeg, Buffer.alloc(1)]) } }],
    ['with a preview that is no JPEG', { ...image, preview: { ...size, jpeg: Buffer.from('<script>') } }],
    ['without a preview', { ...image, preview: { ...size, jpeg: Buffer.alloc(0) } }],
  ])('counts for nothing %s', (_, verdict) => {
    expect(parseVerdict(formatVerdict(verdict as AcceptedVerdict), request)).toBeUndefined();
  });

  it.each(['', 'null', '{}', '[1]', '{"verdict":{"kind":"refused","fault":"new"}}', '{"verdict":'])(
    'counts for nothing as %j',
    (line) => {
      expect(parseVerdict(line, request)).toBeUndefined();
    },
  );
});
