import { type AttachmentPurpose, limits } from '@agent-platform/contract';

/** The state of an upload. Only `ready` is a file; the others hold their `upload_id`. */
export type UploadState = 'receiving' | 'checking' | 'ready' | 'rejected' | 'abandoned';

/** The visible version: the owner and order participants see the original, other readers the processed version. */
export type Audience = 'own' | 'original' | 'processed';

/** The relation of a reader to a file. */
interface Standing {
  readonly isOwner: boolean;
  readonly isOrderParticipant: boolean;
  /** Bound to a public profile or post. */
  readonly isPublic: boolean;
}

/** The version for a reader; undefined where the file appears absent (§5.32). */
export function audienceOf({ isOwner, isOrderParticipant, isPublic }: Standing): Audience | undefined {
  if (isOwner) return 'own';
  if (isOrderParticipant) return 'original';
  return isPublic ? 'processed' : undefined;
}

/** Avatars and characters: only their processed JPEG is stored (§5.22). */
export function isPortrait(purpose: AttachmentPurpose): boolean {
  return purpose === 'avatar' || purpose === 'character';
}

/** The accepted formats of a purpose (§5.11). */
export function acceptedTypes(purpose: AttachmentPurpose): readonly ('image/jpeg' | 'image/png' | 'application/pdf')[] {
  const pictures = ['image/jpeg', 'image/png'] as const;
  return isPortrait(purpose) ? pictures : [...pictures, 'application/pdf'];
}

const pathPart = /^.*[/\\]/su;
const control = /\p{Cc}/gu;

/** A file name without path and control characters, at most 255 code points; none is `file` (§5.23). */
export function cleanFileName(sent: string | undefined): string {
  const name = (sent ?? '').toWellFormed().replace(pathPart, '').replaceAll(control, '');
  const cut = [...name].slice(0, limits.fileNameMaxLength).join('');
  return cut === '' || cut === '.' || cut === '..' ? 'file' : cut;
}

/** The stored part of an upload, for comparison with a repeat. */
export interface KnownUpload {
  readonly state: UploadState;
  readonly purpose: string;
  /** Of the bytes as they were sent. */
  readonly sha256: string | null;
  readonly isCleaned: boolean;
}

/** The answer to an upload with a known `upload_id` (§5.5). */
export function decideRepeat(
  known: KnownUpload,
  sent: { readonly purpose: string; readonly sha256: string },
): 'replay' | 'idempotency_conflict' | 'upload_unavailable' {
  if (known.state !== 'ready' || known.isCleaned) return 'upload_unavailable';
  return known.purpose === sent.purpose && known.sha256 === sent.sha256 ? 'replay' : 'idempotency_conflict';
}

/** Stored bytes that the database names. */
export interface NamedFile {
  readonly key: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The fault found when the file was last read; null if there was none. */
  readonly fault: string | null;
}
