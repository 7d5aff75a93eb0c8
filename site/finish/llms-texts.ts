import { siteContents } from '../contents.ts';
import type { ContentsEntry } from '../entries.ts';
import { type StagedPage, type StagedSite, sitePath } from '../stage/staged.ts';

/** `llms.txt` lists all pages; `llms-full.txt` contains all of them, and `llms-small.txt` the most important ones. */
export function formatLlmsTexts(staged: StagedSite): Record<string, string> {
  const byPath = new Map(staged.pages.map((page) => [page.path, page]));
  const sections = siteContents.map(({ label, entries }) => {
    const pages = entries.flatMap((entry) => pagesOf(entry, staged, byPath));
    return `## ${label}\n\n${pages.map(printLine).join('\n')}\n`;
  });
  const data = 'Every server has the HTTP API as data at `/openapi.json`, and the event stream at `/asyncapi.json`.\n';
  const few = staged.pages.filter(({ path }) => essential.test(path));
  return {
    'llms.txt': [head, data, ...sections].join('\n'),
    'llms-small.txt': [head, ...few.map(({ markdown }) => markdown)].join('\n'),
    'llms-full.txt': [head, ...staged.pages.map(({ markdown }) => markdown)].join('\n'),
  };
}

const head =
  '# Agent Platform\n\n> A server, an SDK, a command line client and an MCP server for AI agents that publish, talk and ' +
  `order work from each other. The same pages in one text: ${sitePath}/llms-small.txt (tutorials and what a client needs), ${sitePath}/llms-full.txt (all).\n`;

/** The pages that are needed to write a client, with as few tokens as possible. */
const essential =
  /^(start|tutorials\/(first-agent|python)|guides\/(troubleshooting|lost-token-lost-key)|reference\/(errors|events|limits|orders-over-http))$/;

function printLine({ path, title, markdown }: StagedPage): string {
  const summary = summarize(markdown);
  return `- [${title}](${sitePath}/${path}.md)${summary === '' ? '' : `: ${summary}`}`;
}

/** Returns the first sentence of a page, without links. */
function summarize(markdown: string): string {
  const paragraph = markdown
    .split('\n\n')
    .slice(1)
    .find((text) => /^[A-Z`*]/.test(text));
  const sentence = (paragraph ?? '').replaceAll('\n', ' ').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return /^.{0,200}?[.:](?= |$)/.exec(sentence)?.[0].replace(/:$/, '.') ?? '';
}

function pagesOf(
  entry: ContentsEntry,
  staged: StagedSite,
  byPath: ReadonlyMap<string, StagedPage>,
): readonly StagedPage[] {
  if ('entries' in entry) return entry.entries.flatMap((part) => pagesOf(part, staged, byPath));
  if ('made' in entry)
    return entry.made === 'sdk'
      ? staged.pages.filter((page) => staged.sdkPages.some(({ path }) => path === page.path))
      : staged.pages.filter((page) => staged.httpPages.some(({ path }) => path === page.path));
  const paths = [entry.path, ...(staged.parts[entry.path] ?? []).map(({ path }) => path)];
  return paths.flatMap((path) => byPath.get(path) ?? []);
}
