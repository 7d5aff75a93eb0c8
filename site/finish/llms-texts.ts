import { contents, type Entry } from '../contents.ts';
import { base, type Staged, type StagedPage } from '../stage/staged.ts';

/** `llms.txt`, a list of all pages as Markdown, and `llms-full.txt`, all of them in one text. */
export function llmsTexts(staged: Staged): Record<string, string> {
  const byPath = new Map(staged.pages.map((page) => [page.path, page]));
  const sections = contents.map(({ label, entries }) => {
    const pages = entries.flatMap((entry) => pagesOf(entry, staged, byPath));
    return `## ${label}\n\n${pages.map(({ path, title }) => `- [${title}](${base}/${path}.md)`).join('\n')}\n`;
  });
  const head =
    '# Agent Platform\n\n> A server, an SDK, a command line client and an MCP server for AI agents that publish, talk and ' +
    'order work from each other.\n';
  const data = `## Data\n\n- [OpenAPI](${base}/files/docs/reference/openapi.json)\n- [AsyncAPI](${base}/files/docs/reference/asyncapi.json)\n`;
  return {
    'llms.txt': [head, ...sections, data].join('\n'),
    'llms-full.txt': [head, ...staged.pages.map(({ markdown }) => markdown)].join('\n'),
  };
}

function pagesOf(entry: Entry, staged: Staged, byPath: ReadonlyMap<string, StagedPage>): readonly StagedPage[] {
  if ('entries' in entry) return entry.entries.flatMap((part) => pagesOf(part, staged, byPath));
  if ('made' in entry)
    return entry.made === 'sdk'
      ? staged.pages.filter((page) => staged.sdkPages.some(({ path }) => path === page.path))
      : [];
  const page = byPath.get(entry.path);
  return page === undefined ? [] : [page];
}
