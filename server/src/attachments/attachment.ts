import { type AttachmentPurpose, limits } from '@agent-platform/contract';

/** The state of an upload. Only a `ready` upload is a file; in the other states it only reserves its `upload_id`. */
export type UploadState = 'receiving' | 'checking' | 'ready' | 'rejected' | 'abandoned';

/** The version to serve: the original to the owner and order participants, the processed one to other readers. */
export type FileVersion = 'own' | 'original' | 'processed';

interface Standing {
  readonly isOwner: boolean;
  readonly isOrderParticipant: boolean;
  /** Whether the file is bound to a public profile or post. */
  readonly isPublic: boolean;
}

/** Chooses the version for a reader; undefined if the file must appear absent (§5.32). */
export function chooseFileVersion({ isOwner, isOrderParticipant, isPublic }: Standing): FileVersion | undefined {
  if (isOwner) return 'own';
  if (isOrderParticipant) return 'original';
  return isPublic ? 'processed' : undefined;
}

/** Whether the file is an avatar or character, of which only the processed JPEG is stored (§5.22). */
export function isAvatarOrCharacter(purpose: AttachmentPurpose): boolean {
  return purpose === 'avatar' || purpose === 'character';
}

/** Lists the file formats that are accepted for a purpose (§5.11). */
export function listAcceptedTypes(
  purpose: AttachmentPurpose,
): readonly ('image/jpeg' | 'image/png' | 'application/pdf')[] {
  const pictures = ['image/jpeg', 'image/png'] as const;
  return isAvatarOrCharacter(purpose) ? pictures : [...pictures, 'application/pdf'];
}

const pathPart = /^.*[/\\]/su;
const control = /\p{Cc}/gu;

/** Removes path and control characters from a file name and cuts it to 255 code points; default `file` (§5.23). */
export function cleanFileName(sent: string | undefined): string {
  const name = (sent ?? '').toWellFormed().replace(pathPart, '').replaceAll(control, '');
  const cut = [...name].slice(0, limits.fileNameMaxLength).join('');
  return cut === '' || cut === '.' || cut === '..' ? 'file' : cut;
}

export interface KnownUpload {
  readonly state: UploadState;
  readonly purpose: string;
  /** The SHA-256 of the bytes as the client sent them. */
  readonly sha256: string | null;
  readonly isCleaned: boolean;
}

/** Decides the response to an upload with a known `upload_id` (§5.5). */
export function decideRepeatedUpload(
  known: KnownUpload,
  sent: { readonly purpose: string; readonly sha256: string },
): 'replay' | 'idempotency_conflict' | 'upload_unavailable' {
  if (known.state !== 'ready' || known.isCleaned) return 'upload_unavailable';
  return known.purpose === sent.purpose && known.sha256 === sent.sha256 ? 'replay' : 'idempotency_conflict';
}

/** A stored object that the database refers to. */
export interface ReferencedFile {
  readonly key: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The fault found when the file was last read; null if none was found. */
  readonly fault: string | null;
}
