import { lowestId } from '../platform/crypto.ts';

export function originalKey(id: string): string {
  return `${id}.original`;
}

export function previewKey(id: string): string {
  return `${id}.preview`;
}

export function storageKeysOf(id: string): readonly string[] {
  return [originalKey(id), previewKey(id)];
}

export function attachmentIdOf(key: string): string {
  return key.slice(0, lowestId.length);
}

export function isOriginalKey(key: string): boolean {
  return key === originalKey(attachmentIdOf(key));
}
