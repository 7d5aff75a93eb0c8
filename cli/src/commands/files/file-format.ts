import { type Attachment, type OwnAttachment, unfenced } from '@agent-platform/sdk';
import { layOutCard } from '../../output/card.ts';
import type { Page } from '../../output/page.ts';
import { showSize } from '../../output/progress-bar.ts';
import { showBoolean, showTime } from '../../output/values.ts';

/** A file for people; its name may be untrusted. */
export function layOutFile(file: Attachment | OwnAttachment, page: Page): string {
  const { filename, width, height, page_count, sha256 } = file;
  const name = filename === undefined ? `${file.purpose} ${file.id}` : unfenced(filename);
  return layOutCard(
    {
      heading: name,
      rows: [
        ['id', file.id],
        ['purpose', file.purpose],
        ['type', file.media_type],
        ['size', showSize(file.size_bytes)],
        ...(width === null || height === null ? [] : [['pixels', `${width} × ${height}`] as const]),
        ...(page_count === null ? [] : [['pages', String(page_count)] as const]),
        ['available', showBoolean(file.available)],
        ...(sha256 === undefined ? [] : [['sha256', sha256] as const]),
        ['created', showTime(file.created_at)],
      ],
    },
    page,
  );
}
