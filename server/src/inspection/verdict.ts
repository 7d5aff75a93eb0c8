// The inspector loads this module and must start quickly, so it imports no library.

export const fileFaultCodes = [
  'unknown_format',
  'format_not_for_purpose',
  'broken',
  'animated',
  'too_many_pixels',
  'too_many_pages',
  'encrypted',
  'active',
  'external',
  'embedded',
  'too_costly',
] as const;
export type FileFaultCode = (typeof fileFaultCodes)[number];

export const mediaTypes = ['image/jpeg', 'image/png', 'application/pdf'] as const;
export type MediaType = (typeof mediaTypes)[number];

/** The server, never an agent, chooses the path `file`. */
export interface InspectionRequest {
  readonly file: string;
  readonly fileBytes: number;
  readonly accepts: readonly MediaType[];
  readonly imageMaxPixels: number;
  readonly pdfMaxPages: number;
  readonly previewMaxPixelsPerSide: number;
  readonly previewMaxBytes: number;
}

/** Thrown inside the inspector if a file must be refused. */
export class FileFault extends Error {
  override readonly name = 'FileFault';
  readonly fault: FileFaultCode;

  constructor(fault: FileFaultCode, cause?: unknown) {
    super(fault, { cause });
    this.fault = fault;
  }
}
