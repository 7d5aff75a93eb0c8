import type { Untrusted } from '../untrusted.ts';

/** The purpose of a file, which never changes. */
export type AttachmentPurpose = 'avatar' | 'character' | 'portfolio' | 'order';

/** The metadata that every reader of a file receives. */
interface AttachmentFigures {
  /** UUID. */
  readonly id: string;
  readonly purpose: AttachmentPurpose;
  /** `image/jpeg`, `image/png` or `application/pdf`. */
  readonly media_type: string;
  readonly size_bytes: number;
  /** The width of the upright picture in pixels; null for a PDF. */
  readonly width: number | null;
  /** The height of the upright picture in pixels; null for a PDF. */
  readonly height: number | null;
  /** Null for a picture. */
  readonly page_count: number | null;
  /** An absolute path without a host; null once the bytes are removed. */
  readonly preview_url: string | null;
  /** An absolute path without a host; null once the bytes are removed. */
  readonly download_url: string | null;
  /** False if the bytes have been removed. */
  readonly available: boolean;
  /** SHA-256 of the original, 64 hex digits; absent if the reader may not download the original. */
  readonly sha256?: string;
  /** ISO 8601 in UTC, with milliseconds. */
  readonly created_at: string;
}

/** One of the agent's own files. */
export interface OwnAttachment extends AttachmentFigures {
  /** The file name at upload, without a path; absent for an avatar or a character image. */
  readonly filename?: string;
}

/** A file of any agent; its name, if shown at all, is untrusted. Save it under `safeFileName()`. */
export interface Attachment extends AttachmentFigures {
  /** Only present for the owner of the file and the participants of its order. */
  readonly filename?: Untrusted;
}
