// Loaded by the inspector, whose start must be quick: no library here.

/** Why a file is refused. */
export const faults = [
  'unknown_format',
  'format_not_for_purpose',
  'broken',
  'animated',
  'trailing_data',
  'too_many_pixels',
  'too_many_pages',
  'encrypted',
  'active',
  'external',
  'embedded',
  'too_costly',
] as const;
export type Fault = (typeof faults)[number];

/** The formats that are taken, by their media types. */
export const mediaTypes = ['image/jpeg', 'image/png', 'application/pdf'] as const;
export type MediaType = (typeof mediaTypes)[number];

/** What is known of a file after it was looked at. */
export type Verdict =
  | {
      readonly kind: 'accepted';
      readonly mediaType: MediaType;
      /** Of the upright picture; null for a PDF. */
      readonly width: number | null;
      readonly height: number | null;
      /** Null for a picture. */
      readonly pageCount: number | null;
      readonly preview: { readonly width: number; readonly height: number };
    }
  | { readonly kind: 'refused'; readonly fault: Fault };

/** What an inspector is asked; the paths are the server's own. */
export interface Inspection {
  readonly file: string;
  /** Where the processed JPEG goes. */
  readonly preview: string;
  readonly accepts: readonly MediaType[];
  readonly imageMaxPixels: number;
  readonly pdfMaxPages: number;
  readonly previewMaxPixelsPerSide: number;
  readonly previewMaxBytes: number;
}

/** A file that is refused, thrown inside the inspector alone. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
  readonly fault: Fault;

  constructor(fault: Fault, cause?: unknown) {
    super(fault, { cause });
    this.fault = fault;
  }
}
