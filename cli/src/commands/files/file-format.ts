import { type Attachment, type OwnAttachment, unfenced } from '@agent-platform/sdk';
import { formatCard } from '../../output/card.ts';
import type { Page } from '../../output/page.ts';
import { formatBoolean, formatSize, formatTime } from '../../output/values.ts';

/** A file for people; its name may be untrusted. */
export function formatFile(page: Page, file: Attachment | OwnAttachment): string {
  const { filename, width, height, page_count } = file;
  return formatCard(page, filename === undefined ? `${file.purpose} ${file.id}` : unfenced(filename), [
    ['id', file.id],
    ['purpose', file.purpose],
    ['type', file.media_type],
    ['size', formatSize(file.size_bytes)],
    ['pixels', width === null || height === null ? undefined : `${width} × ${height}`],
    ['pages', page_count === null ? undefined : String(page_count)],
    ['available', formatBoolean(file.available)],
    ['sha256', file.sha256],
    ['created', formatTime(file.created_at)],
  ]);
}
