import Type from 'typebox';
import { Nullable, Strict, Timestamp, Uuid } from './schemas.ts';

/** What a file is for, once and for ever. */
export const AttachmentPurpose = Type.Enum(['avatar', 'character', 'portfolio', 'order'], {
  'x-form': 'avatar, character, portfolio or order',
});

const Path = Nullable(
  Type.String({ pattern: '^/', description: 'An absolute path without a host; null once the bytes are gone.' }),
);

/**
 * A file as this reader may see it (D-11). The owner and the participants of its
 * order see the figures of the original, everybody else those of the processed
 * version. After cleaning, `available` is false and the paths are null.
 */
export const Attachment = Strict(
  {
    id: Uuid,
    purpose: AttachmentPurpose,
    media_type: Type.String(),
    size_bytes: Type.Integer({ minimum: 0 }),
    width: Nullable(Type.Integer({ description: 'Of the upright picture; null for a PDF.' })),
    height: Nullable(Type.Integer()),
    page_count: Nullable(Type.Integer({ description: 'Null for a picture.' })),
    preview_url: Path,
    download_url: Path,
    available: Type.Boolean(),
    filename: Type.Optional(Type.String({ description: 'For the owner and the participants of its order.' })),
    sha256: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Of the original, for the same.' })),
    created_at: Timestamp,
  },
  { title: 'Attachment' },
);
export type Attachment = Type.Static<typeof Attachment>;
