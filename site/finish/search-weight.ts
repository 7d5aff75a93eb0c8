import { siteContents } from '../contents.ts';
import type { ContentsEntry, Page } from '../entries.ts';

const weights: readonly (readonly [path: RegExp, weight: number])[] = [
  [/^guides\/sdk\b/, 1.5],
  // Lower than other guides, because this long page contains the words of almost every task.
  [/^guides\/production\b/, 1.5],
  [/^(start|tutorials|guides|operating)\b/, 3],
  [/^explanation\/(decisions|architecture|benchmarks|benchmark-results|batches|contributing|failures)/, 0.5],
  [/^explanation\/how-this-differs/, 1],
  [/^explanation\b/, 1.5],
  [/^reference\/(http|cli\/commands|sdk\/(?!in-depth)|changelog|conformance\/requirements)/, 0.2],
  [/^reference\/(errors$|sdk\/in-depth)/, 2],
  [/^(reference|specification)\b/, 0.7],
];

/** Repeated words count more than by default. */
export const searchRanking = { termSaturation: 2 };

const keywords = new Map(siteContents.flatMap(pagesOf).map((page) => [page.path, page.keywords]));

/** Adds the keywords and the search weight of a page, so that guides rank before API operations. */
export function addSearchWeights(path: string, html: string): string {
  const weight = weights.find(([pattern]) => pattern.test(path))?.[1] ?? 1;
  const words = keywords.get(path);
  const weighed = html.replace('data-pagefind-body', `data-pagefind-body data-pagefind-weight="${weight}"`);
  // Operations have the same words in their titles as guides, but should rank lower.
  if (path.startsWith('reference/http/operations/')) return markTitle(weighed, 'data-pagefind-weight="1"');
  if (words === undefined) return weighed;
  // Repeats the keywords; otherwise a long page that repeats them would rank higher.
  const repeated = Array.from({ length: 5 }, () => words).join(', ');
  const marks = `data-pagefind-weight="10" data-pagefind-index-attrs="data-keywords" data-keywords="${repeated}"`;
  return markTitle(weighed, marks);
}

function markTitle(html: string, marks: string): string {
  return html.replace('<h1 id="_top"', `<h1 id="_top" ${marks}`);
}

function pagesOf(entry: ContentsEntry): readonly Page[] {
  if ('entries' in entry) return entry.entries.flatMap(pagesOf);
  return 'source' in entry ? [entry] : [];
}
