/** The storage key of the bytes as they were sent. */
export function originalKey(id: string): string {
  return `${id}.original`;
}

/** The storage key of the processed JPEG. */
export function previewKey(id: string): string {
  return `${id}.preview`;
}

/** Both storage keys of a file. */
export function keysOf(id: string): readonly string[] {
  return [originalKey(id), previewKey(id)];
}
