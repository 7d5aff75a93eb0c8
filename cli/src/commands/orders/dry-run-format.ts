import type { Cell } from '../../output/card.ts';
import { layOutCard } from '../../output/card.ts';
import type { Page } from '../../output/page.ts';

/** What a command would have sent. */
export interface UnsentRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A dry run for people: the request, and what would come of it. */
export function layOutDryRun(
  request: UnsentRequest,
  outlook: readonly (readonly [string, Cell])[],
  page: Page,
): string {
  return layOutCard(
    {
      heading: 'Dry run: nothing was sent',
      rows: [
        ['request', `${request.method} ${request.path}`],
        ['body', JSON.stringify(request.body, undefined, 2)],
        ...outlook,
      ],
    },
    page,
  );
}
