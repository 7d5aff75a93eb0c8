import { type AttachmentPurpose, limits } from '@agent-platform/contract';

/** How far an upload has come. Only `ready` is a file; the others hold their `upload_id`. */
export type UploadState = 'receiving' | 'checking' | 'ready' | 'rejected' | 'abandoned';

/** Who a file is shown to: its owner and the participants of its order see the original, anybody else what was processed. */
export type Audience = 'original' | 'processed';

/** What decides whether somebody may see a file. */
export interface Standing {
  readonly isOwner: boolean;
  readonly isOrderParticipant: boolean;
  /** Bound to something that anybody may see now. */
  readonly isPublic: boolean;
}

/** How a file is shown, or undefined where it is as if it were not there (D-45). */
export function audienceOf({ isOwner, isOrderParticipant, isPublic }: Standing): Audience | undefined {
  if (isOwner || isOrderParticipant) return 'original';
  return isPublic ? 'processed' : undefined;
}

/** Avatars and characters: of these only the processed JPEG is kept (D-39). */
export function isPortrait(purpose: AttachmentPurpose): boolean {
  return purpose === 'avatar' || purpose === 'character';
}

/** The formats that a purpose takes (specification, "Limits"). */
export function acceptedTypes(purpose: AttachmentPurpose): readonly ('image/jpeg' | 'image/png' | 'application/pdf')[] {
  const pictures = ['image/jpeg', 'image/png'] as const;
  return isPortrait(purpose) ? pictures : [...pictures, 'application/pdf'];
}

const pathPart = /^.*[/\\]/su;
const control = /\p{Cc}/gu;

/** A file name without path and control characters, at most 255 code points; none is `file` (D-11). */
export function cleanFileName(sent: string | undefined): string {
  const name = (sent ?? '').toWellFormed().replace(pathPart, '').replaceAll(control, '');
  const cut = [...name].slice(0, limits.fileNameMaxLength).join('');
  return cut === '' || cut === '.' || cut === '..' ? 'file' : cut;
}

/** What a repeated upload is compared with. */
export interface KnownUpload {
  readonly state: UploadState;
  readonly purpose: string;
  /** Of the bytes as they were sent. */
  readonly sha256: string | null;
  readonly isCleaned: boolean;
}

/** What an `upload_id` that is known already means for an upload (D-38). */
export function decideRepeat(
  known: KnownUpload,
  sent: { readonly purpose: string; readonly sha256: string },
): 'replay' | 'idempotency_conflict' | 'upload_unavailable' {
  if (known.state !== 'ready' || known.isCleaned) return 'upload_unavailable';
  return known.purpose === sent.purpose && known.sha256 === sent.sha256 ? 'replay' : 'idempotency_conflict';
}
