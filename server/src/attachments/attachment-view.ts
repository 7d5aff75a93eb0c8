import { type Attachment, type AttachmentPurpose, toTypedFileName } from '@agent-platform/contract';
import { formatTimestamp, type Row, toSafeInteger } from '../store/decode.ts';
import {
  cleanFileName,
  type FileVersion,
  isAvatarOrCharacter,
  type ReferencedFile,
  type UploadState,
} from './attachment.ts';
import { originalKey, previewKey } from './file-keys.ts';

/** A row of `attachments`, which is a file or an unfinished or rejected upload. */
export interface StoredAttachment extends Omit<Row<'attachments'>, 'size_bytes' | 'preview_size_bytes'> {
  readonly purpose: AttachmentPurpose;
  readonly state: UploadState;
  readonly size_bytes: number | string | null;
  readonly preview_size_bytes: number | string | null;
}

export interface ServedContent extends ReferencedFile {
  readonly mediaType: string;
  readonly filename: string;
  /** Whether every reader gets the same response. */
  readonly isPublic: boolean;
}

/** Formats a file for a reader (§5.21). Only the processed version of an avatar or character exists. */
export function showAttachment(file: StoredAttachment, audience: FileVersion): Attachment {
  const isAvailable = isContentAvailable(file);
  const path = `/api/v1/attachments/${file.id}`;
  const shared = {
    id: file.id,
    purpose: file.purpose,
    preview_url: isAvailable ? `${path}/preview` : null,
    download_url: isAvailable ? `${path}/download` : null,
    available: isAvailable,
    created_at: formatTimestamp(file.created_at),
  };
  if (servesOriginal(file, audience)) {
    return {
      ...shared,
      media_type: file.media_type ?? '',
      size_bytes: toSafeInteger(file.size_bytes ?? 0),
      width: file.width,
      height: file.height,
      page_count: file.page_count,
      filename: audience === 'own' ? (file.filename ?? cleanFileName(undefined)) : nameForOthers(file),
      sha256: file.sha256 ?? '',
    };
  }
  return {
    ...shared,
    media_type: 'image/jpeg',
    size_bytes: toSafeInteger(file.preview_size_bytes ?? 0),
    width: file.preview_width,
    height: file.preview_height,
    page_count: null,
  };
}

export function isContentAvailable({
  cleaned_at,
  hidden_at,
}: Pick<StoredAttachment, 'cleaned_at' | 'hidden_at'>): boolean {
  return cleaned_at === null && hidden_at === null;
}

function servesOriginal(file: StoredAttachment, audience: FileVersion): boolean {
  return audience !== 'processed' && !isAvatarOrCharacter(file.purpose);
}

function nameForOthers(file: StoredAttachment): string {
  return toTypedFileName(file.filename ?? cleanFileName(undefined), file.media_type ?? '');
}

export function getProcessedContent(file: StoredAttachment, isPublic: boolean): ServedContent {
  return {
    key: previewKey(file.id),
    bytes: toSafeInteger(file.preview_size_bytes ?? 0),
    sha256: file.preview_sha256 ?? '',
    fault: file.preview_fault,
    mediaType: 'image/jpeg',
    filename: `${file.id}.jpg`,
    isPublic,
  };
}

export function getDownloadContent(file: StoredAttachment, audience: FileVersion, isPublic: boolean): ServedContent {
  if (!servesOriginal(file, audience)) return getProcessedContent(file, isPublic);
  return {
    key: originalKey(file.id),
    bytes: toSafeInteger(file.size_bytes ?? 0),
    sha256: file.sha256 ?? '',
    fault: file.original_fault,
    mediaType: file.media_type ?? 'application/octet-stream',
    filename: nameForOthers(file),
    isPublic: false,
  };
}
