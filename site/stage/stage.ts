import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, posix } from 'node:path';
import type { Page } from '../entries.ts';
import { drawDiagram } from './diagram.ts';
import { httpReferenceLinkBase, listHttpPages } from './http-reference.ts';
import { listPages } from './list-pages.ts';
import { rewriteDocument } from './rewrite.ts';
import { formatSdkReference } from './sdk-reference.ts';
import { removeTablePadding, splitDocument } from './split-document.ts';
import { type StagedPage, type StagedSite, siteFolder, sitePath, stagedSiteFile } from './staged.ts';

const pagesFolder = join(siteFolder, 'src/content/docs');
const filesFolder = join(siteFolder, 'public/files');

export async function stagePages(root: string): Promise<void> {
  for (const folder of [pagesFolder, filesFolder]) rmSync(folder, { recursive: true, force: true });
  const documents = listPages(root).flatMap((page) => readDocument(root, page));
  const links = new Links(root, documents);
  const pages = documents.map(({ path, source, label, text }): StagedPage => {
    const page = rewriteAt(source, text, (link) => links.toPage(source, link, path), drawn);
    const copy = rewriteAt(source, text, (link) => links.toMarkdown(source, link, path));
    const title = plain(page.title);
    writePage(path, { title }, page.body);
    return { path, source, title: label ?? title, markdown: `# ${copy.title}\n\n${copy.body}` };
  });
  const http = stageHttpReference(links);
  links.writeSources();
  const sdk = await stageSdkReference(root);
  const parts = Map.groupBy(
    documents.filter(({ parent }) => parent !== undefined),
    ({ parent }) => parent,
  );
  const titleOf = new Map(pages.map(({ path, title }) => [path, title]));
  const staged: StagedSite = {
    pages: [...pages, ...http, ...sdk],
    sdkPages: sdk,
    httpPages: http,
    parts: Object.fromEntries(
      [...parts].map(([path, own]) => [
        path,
        own.map((one) => ({ path: one.path, title: titleOf.get(one.path) ?? '' })),
      ]),
    ),
  };
  writeFileSync(stagedSiteFile, JSON.stringify(staged));
}

interface Document {
  readonly path: string;
  readonly source: string;
  readonly label?: string;
  readonly text: string;
  /** Anchors on this page that no other page of the same source has. */
  readonly anchors: readonly string[];
  /** The path of the page from which this page was split off. */
  readonly parent?: string;
}

function readDocument(root: string, page: Page): readonly Document[] {
  const { path, source, label } = page;
  const text = readFileSync(join(root, source), 'utf8');
  const own = { path, source, ...(label === undefined ? {} : { label }) };
  if (!page.isSplit) return [{ ...own, text, anchors: [] }];
  const { head, parts } = splitDocument(removeTablePadding(text));
  const list = parts.map(({ name, title }) => `- [${title}](#${name})`).join('\n');
  return [
    { ...own, text: `${head}\n${list}\n`, anchors: [] },
    ...parts.map(({ name, text: section, anchors }) => ({
      ...{ path: `${path}/${name}`, source, text: section, anchors, parent: path },
    })),
  ];
}

function stageHttpReference(links: Links) {
  return listHttpPages().map(({ path, title, tag, html, markdown }) => {
    const page = rewriteAt(path, html, (link) => links.toPage(httpReferenceLinkBase, link, path));
    const copy = rewriteAt(path, markdown, (link) => links.toMarkdown(httpReferenceLinkBase, link, path));
    writePage(path, { title, tableOfContents: { maxHeadingLevel: 2 } }, page.body);
    return { path, title, tag, markdown: `# ${copy.title}\n\n${copy.body}` };
  });
}

function rewriteAt(source: string, ...args: Parameters<typeof rewriteDocument>) {
  try {
    return rewriteDocument(...args);
  } catch (error) {
    throw new Error(`${source}: ${(error as Error).message}`);
  }
}

function drawn(language: string, code: string): string | undefined {
  return language === 'mermaid' ? drawDiagram(code) : undefined;
}

async function stageSdkReference(root: string): Promise<readonly StagedPage[]> {
  const pages = await formatSdkReference(root);
  return pages.map(({ name, title, body }) => {
    const path = `reference/sdk/${name}`;
    const inMarkdown = (ending: string) =>
      body.replaceAll(/\]\(\.\/([\w-]+)\.md/g, (_, target: string) => `](${sitePath}/reference/sdk/${target}${ending}`);
    writePage(path, { title, tableOfContents: { maxHeadingLevel: 3 } }, inMarkdown('/'));
    return { path, title, markdown: `# ${title}\n\n${inMarkdown('.md')}` };
  });
}

/** Resolves the links in documents, and collects the linked files. */
class Links {
  readonly #root: string;
  readonly #pathOf = new Map<string, string>();
  // The machine-readable contract is published even if no document links to it.
  readonly #sources = new Set(['docs/reference/openapi.json', 'docs/reference/asyncapi.json']);

  constructor(root: string, documents: readonly Document[]) {
    this.#root = root;
    for (const { path, source, anchors, parent } of documents) {
      if (parent === undefined) this.#pathOf.set(source, path);
      for (const anchor of anchors) this.#pathOf.set(`${source}#${anchor}`, path);
    }
  }

  toPage(from: string, link: string, page: string): string {
    return this.#resolve(from, link, page, (path) => `${sitePath}/${path}/`);
  }

  toMarkdown(from: string, link: string, page: string): string {
    return this.#resolve(from, link, page, (path) => `${sitePath}/${path}.md`);
  }

  #resolve(from: string, link: string, page: string, toAddress: (path: string) => string): string {
    if (/^([a-z]+:|\/)/.test(link)) return link;
    const [destination = '', anchor] = link.split('#');
    const target = destination === '' ? from : this.#find(posix.join(posix.dirname(from), destination));
    const hash = anchor === undefined ? '' : `#${anchor}`;
    const path = this.#pathOf.get(target + hash) ?? this.#pathOf.get(target);
    if (destination === '' && (path === page || path === undefined || !this.#pathOf.has(target + hash))) return link;
    if (path !== undefined) return toAddress(path) + (path.endsWith(`/${anchor}`) ? '' : hash);
    this.#sources.add(target);
    return isShown(target) ? `${sitePath}/${sourcePath(target)}/${hash}` : `${sitePath}/files/${target}`;
  }

  #find(target: string): string {
    const place = join(this.#root, target);
    if (target.startsWith('..') || !existsSync(place))
      throw new Error(`A link points to ${target}, which does not exist.`);
    return statSync(place).isDirectory() ? this.#find(posix.join(target, 'README.md')) : target;
  }

  /** Writes a page for each linked source file, and copies the other files. */
  writeSources(): void {
    for (const source of this.#sources) {
      const place = join(this.#root, source);
      if (!isShown(source)) cpSync(place, join(filesFolder, source), { recursive: true });
      else {
        const code = readFileSync(place, 'utf8').trimEnd();
        const language = extname(source).slice(1) || 'text';
        const frontMatter = { title: source, tableOfContents: false, pagefind: false, prev: false, next: false };
        writePage(sourcePath(source), frontMatter, `\`\`\`\`\`${language}\n${code}\n\`\`\`\`\`\n`);
      }
    }
  }
}

/** Other files are copied to the site without a page. */
function isShown(source: string): boolean {
  return !/\.(json|png|jpe?g|svg|pdf)$/.test(source);
}

function sourcePath(source: string): string {
  return `source/${source.toLowerCase().replaceAll('.', '-')}`;
}

function writePage(path: string, frontMatter: object, body: string): void {
  const file = join(pagesFolder, `${path}.md`);
  mkdirSync(dirname(file), { recursive: true });
  const lines = Object.entries({ slug: path, ...frontMatter }).map(
    ([name, value]) => `${name}: ${JSON.stringify(value)}`,
  );
  writeFileSync(file, `---\n${lines.join('\n')}\n---\n\n${body}`);
}

function plain(title: string): string {
  return title.replaceAll(/`|\*\*/g, '');
}
