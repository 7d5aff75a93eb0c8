import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { fileFaultCodes, type InspectionRequest, mediaTypes } from './verdict.ts';

const Positive = Type.Integer({ minimum: 1 });

const AcceptedForm = Type.Object({
  kind: Type.Literal('accepted'),
  mediaType: Type.Enum([...mediaTypes]),
  /** The number of leading bytes that are stored; data after the end of an image is dropped (§5.17). */
  keptBytes: Positive,
  /** The width of the upright image; null for a PDF. */
  width: Type.Union([Positive, Type.Null()]),
  height: Type.Union([Positive, Type.Null()]),
  /** The number of pages; null for an image. */
  pageCount: Type.Union([Positive, Type.Null()]),
  preview: Type.Object({ width: Positive, height: Positive }),
});
const RefusedForm = Type.Object({ kind: Type.Literal('refused'), fault: Type.Enum([...fileFaultCodes]) });
const VerdictForm = Type.Union([AcceptedForm, RefusedForm]);
// `picture` is the processed JPEG in base64; the line limit also limits its length.
const AnswerForm = Type.Object({ verdict: VerdictForm, picture: Type.Optional(Type.String()) });

export interface JpegPreview {
  readonly width: number;
  readonly height: number;
  readonly jpeg: Uint8Array;
}

export type AcceptedVerdict = Readonly<Omit<Static<typeof AcceptedForm>, 'preview'>> & {
  readonly preview: JpegPreview;
};

export type FileVerdict = AcceptedVerdict | Readonly<Static<typeof RefusedForm>>;

/** A line contains a verdict and the preview in base64. */
export function verdictLineMaxLength({ previewMaxBytes }: Pick<InspectionRequest, 'previewMaxBytes'>): number {
  return Math.ceil((previewMaxBytes * 4) / 3) + 1_024;
}

/**
 * Parses the response of an inspector. Returns undefined for a verdict that is impossible for the request, because a
 * process that reads a hostile file is not trusted.
 */
export function parseVerdict(line: string, request: InspectionRequest): FileVerdict | undefined {
  const answer = parse(line);
  if (!Check(AnswerForm, answer)) return undefined;
  const { verdict } = answer;
  if (verdict.kind === 'refused') return verdict;
  const jpeg = Buffer.from(answer.picture ?? '', 'base64');
  const accepted = { ...verdict, preview: { ...verdict.preview, jpeg } };
  return isPossible(accepted, request) ? accepted : undefined;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const startOfJpeg = Buffer.from([0xff, 0xd8, 0xff]);

function isPossible(
  { mediaType, keptBytes, width, height, pageCount, preview }: AcceptedVerdict,
  { accepts, fileBytes, imageMaxPixels, pdfMaxPages, previewMaxPixelsPerSide, previewMaxBytes }: InspectionRequest,
): boolean {
  const isPdf = mediaType === 'application/pdf';
  const pixels = (width ?? 1) * (height ?? 1);
  return (
    accepts.includes(mediaType) &&
    keptBytes <= fileBytes &&
    (!isPdf || keptBytes === fileBytes) &&
    isPdf === (width === null) &&
    isPdf === (height === null) &&
    isPdf === (pageCount !== null) &&
    pixels <= imageMaxPixels &&
    (pageCount ?? 1) <= pdfMaxPages &&
    Math.max(preview.width, preview.height) <= previewMaxPixelsPerSide &&
    preview.jpeg.length <= previewMaxBytes &&
    startOfJpeg.equals(preview.jpeg.subarray(0, startOfJpeg.length))
  );
}
