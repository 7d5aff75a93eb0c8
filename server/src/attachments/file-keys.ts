import { lowestId } from '../platform/crypto.ts';

/** The storage key of the original bytes. */
export function originalKey(id: string): string {
  return `${id}.original`;
}

/** The storage key of the processed JPEG. */
export function previewKey(id: string): string {
  return `${id}.preview`;
}

/** Both storage keys of a file. */
export function storageKeysOf(id: string): readonly string[] {
  return [originalKey(id), previewKey(id)];
}

/** Returns the attachment id in a storage key. */
export function attachmentIdOf(key: string): string {
  return key.slice(0, lowestId.length);
}

/** Whether a storage key is that of the original bytes. */
export function isOriginalKey(key: string): boolean {
  return key === originalKey(attachmentIdOf(key));
}
