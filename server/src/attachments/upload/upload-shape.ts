import { type AttachmentPurpose, Upload } from '@agent-platform/contract';
import { IsUuid } from 'typebox/format';
import type { FormField } from '../../files/receive-form.ts';

export interface UploadFields {
  readonly purpose: AttachmentPurpose;
  readonly uploadId: string;
}

/** A fault in the multipart form of an upload, found before the file is inspected (§5.2). */
interface ShapeFault {
  readonly code: 'invalid_input' | 'invalid_file';
  readonly path: string;
  readonly message: string;
}

const names = Object.keys(Upload.properties);
const purposes: readonly AttachmentPurpose[] = ['avatar', 'character', 'portfolio', 'order'];

/** Finds the purpose and the upload id; undefined until both fields have arrived and are valid. */
export function findUploadFields(fields: readonly FormField[]): UploadFields | undefined {
  const purpose = purposes.find((known) => known === textOf(fields, 'purpose'));
  const uploadId = textOf(fields, 'upload_id');
  if (purpose === undefined || uploadId === undefined || !IsUuid(uploadId)) return undefined;
  // Ids are not case-sensitive (§1.24).
  return { purpose, uploadId: uploadId.toLowerCase() };
}

/**
 * Finds a fault in the multipart form of an upload, which must have exactly three fields, each once. Reports faults in
 * fields before a fault in the file.
 */
export function findUploadFormFault(
  fields: readonly FormField[],
  file: { readonly bytes: number } | undefined,
  hasSurplus: boolean,
): ShapeFault | undefined {
  const invalid = (path: string, message: string): ShapeFault => ({ code: 'invalid_input', path, message });
  for (const [index, { name }] of fields.entries()) {
    if (name === 'file' || !names.includes(name)) return invalid(`/${name}`, 'is not a field of an upload; remove it');
    if (fields.findIndex((other) => other.name === name) < index) return invalid(`/${name}`, 'occurs more than once');
  }
  if (hasSurplus)
    return invalid('', 'must have the fields file, purpose and upload_id, each once, within their size limits');
  const purpose = textOf(fields, 'purpose');
  if (purpose === undefined) return invalid('/purpose', 'is required');
  if (!purposes.some((known) => known === purpose)) return invalid('/purpose', `must be one of ${purposes.join(', ')}`);
  const uploadId = textOf(fields, 'upload_id');
  if (uploadId === undefined) return invalid('/upload_id', 'is required');
  if (!IsUuid(uploadId)) return invalid('/upload_id', 'must be a UUID');
  if (file === undefined) return { code: 'invalid_file', path: '/file', message: 'is required' };
  return file.bytes === 0 ? { code: 'invalid_file', path: '/file', message: 'is empty' } : undefined;
}

function textOf(fields: readonly FormField[], name: string): string | undefined {
  return fields.find((field) => field.name === name)?.value;
}
