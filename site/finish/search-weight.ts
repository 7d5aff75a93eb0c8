import { contents, type Entry, type Page } from '../contents.ts';

const weights: readonly (readonly [path: RegExp, weight: number])[] = [
  // As long as all guides together, with every word of theirs.
  [/^guides\/operating\b/, 1.5],
  [/^(start|guides)\b/, 3],
  [/^explanation\/(decisions|architecture|benchmarks|contributing|failures)/, 0.5],
  [/^explanation\b/, 1.5],
  [/^reference\/(http|cli\/commands|sdk\/(?!in-depth)|changelog|conformance\/requirements)/, 0.2],
  [/^(reference|specification)\b/, 0.7],
];

const keywords = new Map(contents.flatMap(pagesOf).map((page) => [page.path, page.keywords]));

/**
 * Marks how much the words of a page count in the search, since readers expect a guide before an operation, and adds
 * the keywords of the page.
 */
export function weigh(path: string, html: string): string {
  const weight = weights.find(([pattern]) => pattern.test(path))?.[1] ?? 1;
  const words = keywords.get(path);
  const weighed = html.replace('data-pagefind-body', `data-pagefind-body data-pagefind-weight="${weight}"`);
  if (words === undefined) return weighed;
  const marks = `data-pagefind-weight="10" data-pagefind-index-attrs="data-keywords" data-keywords="${words}"`;
  return weighed.replace('<h1 id="_top"', `<h1 id="_top" ${marks}`);
}

function pagesOf(entry: Entry): readonly Page[] {
  if ('entries' in entry) return entry.entries.flatMap(pagesOf);
  return 'source' in entry ? [entry] : [];
}
