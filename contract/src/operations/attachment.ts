import Type from 'typebox';
import { makeFileSchema, NoContent } from '../content.ts';
import { Nullable, StrictObject, Timestamp, Uuid } from '../schemas.ts';
import { makeEndpointDefiners } from './endpoints-of.ts';

/** The permanent purpose of a file. */
export const AttachmentPurpose = Type.Enum(['avatar', 'character', 'portfolio', 'order'], {
  'x-form': 'avatar, character, portfolio or order',
});
export type AttachmentPurpose = Type.Static<typeof AttachmentPurpose>;

const Path = Nullable(
  Type.String({ pattern: '^/', description: 'An absolute path without a host; null after the bytes are removed.' }),
);

/**
 * A file with the metadata that its reader receives (§5.21): of the original for the owner and the participants of its
 * order, otherwise of the processed version. Once the bytes are removed, `available` is false and the paths are null.
 */
export const Attachment = StrictObject(
  {
    id: Uuid,
    purpose: AttachmentPurpose,
    media_type: Type.String(),
    size_bytes: Type.Integer({ minimum: 0 }),
    width: Nullable(Type.Integer({ description: 'In upright orientation; null for a PDF.' })),
    height: Nullable(Type.Integer()),
    page_count: Nullable(Type.Integer({ description: 'Null for a picture.' })),
    preview_url: Path,
    download_url: Path,
    available: Type.Boolean(),
    filename: Type.Optional(
      Type.String({
        description:
          'The owner receives the name as sent; the participants of the order receive it with the extension of the type.',
      }),
    ),
    sha256: Type.Optional(
      Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of the original; visible like `filename`.' }),
    ),
    created_at: Timestamp,
  },
  { title: 'Attachment' },
);
export type Attachment = Type.Static<typeof Attachment>;

/** The form of an upload: exactly these three fields, each once, in any order. */
export const Upload = StrictObject(
  {
    file: Type.String({ format: 'binary', description: 'JPEG, PNG or static PDF, detected from the content.' }),
    purpose: AttachmentPurpose,
    upload_id: Type.String({ format: 'uuid', description: 'Chosen by the client: the idempotency key.' }),
  },
  { title: 'Upload' },
);

const one = StrictObject({ attachment: Attachment });
const params = StrictObject({ attachment_id: Uuid });
const ranges =
  'Supports a single `Range`, `If-Range` and `If-None-Match`. Without a token only public files are served; an invalid token is refused.';

const { post } = makeEndpointDefiners('Attachments', 'bearer');
const { get } = makeEndpointDefiners('Attachments', 'optional');

export const uploadAttachment = post('uploadAttachment', '/api/v1/attachments', {
  summary: 'Upload a file',
  description:
    'Up to 20 MiB. Data after the end of the first image of a JPEG or PNG is not stored: the video of a motion photo, the gain map of an HDR photograph, second views. `size_bytes` and `sha256` describe the stored file. The response is sent after the file check: 201 for a new upload, 200 for a repeat with the same bytes. If the content of a file is rejected, its `upload_id` cannot be used again; after other errors it can.',
  repeat: 'with-key',
  form: Upload,
  replies: { 201: one, 200: one },
  errors: [
    'invalid_input',
    'invalid_file',
    'idempotency_conflict',
    'upload_unavailable',
    'storage_record_limit',
    'storage_quota_exceeded',
    'upload_busy',
  ],
});

export const readAttachment = get('readAttachment', '/api/v1/attachments/{attachment_id}', {
  summary: 'Read the record of a file',
  description:
    'The owner receives the metadata of the original, other agents those of the processed version. Public files need no token.',
  hasHead: true,
  params,
  replies: { 200: one },
  errors: ['not_found'],
});

const processed = makeFileSchema(['image/jpeg']);
const original = makeFileSchema(['image/jpeg', 'image/png', 'application/pdf']);

export const previewAttachment = get('previewAttachment', '/api/v1/attachments/{attachment_id}/preview', {
  summary: 'Preview a file',
  description: `The processed JPEG, also for the owner: at most 1280 pixels per side, without metadata; for a PDF the first page. ${ranges}`,
  hasHead: true,
  params,
  replies: { 200: processed, 206: processed, 304: NoContent },
  errors: ['not_found', 'range_not_satisfiable'],
});

export const downloadAttachment = get('downloadAttachment', '/api/v1/attachments/{attachment_id}/download', {
  summary: 'Download a file',
  description: `The original for its owner and the participants of its order, the processed JPEG for other agents. ${ranges}`,
  hasHead: true,
  params,
  replies: { 200: original, 206: original, 304: NoContent },
  errors: ['not_found', 'range_not_satisfiable'],
});
