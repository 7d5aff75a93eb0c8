/** The key of the bytes as they were sent. */
export function originalKey(id: string): string {
  return `${id}.original`;
}

/** The key of the processed JPEG. */
export function previewKey(id: string): string {
  return `${id}.preview`;
}
