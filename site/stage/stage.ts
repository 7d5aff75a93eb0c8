import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, posix } from 'node:path';
import { drawDiagram } from './diagram.ts';
import { listPages } from './list-pages.ts';
import { rewrite } from './rewrite.ts';
import { printSdkReference } from './sdk-reference.ts';
import { base, type Staged, type StagedPage, siteFolder, stagedFile } from './staged.ts';

const pagesFolder = join(siteFolder, 'src/content/docs');
const filesFolder = join(siteFolder, 'public/files');

/** Writes the pages where the build reads them, from the documents of the repository. */
export async function stage(root: string): Promise<void> {
  for (const folder of [pagesFolder, filesFolder]) rmSync(folder, { recursive: true, force: true });
  const listed = listPages(root);
  const pathOf = new Map(listed.map(({ source, path }) => [source, path]));
  const links = new Links(root, pathOf);
  const pages = listed.map(({ path, source, label }): StagedPage => {
    const text = readFileSync(join(root, source), 'utf8');
    const page = rewriteAt(source, text, (link) => links.toPage(source, link), drawn);
    const copy = rewriteAt(source, text, (link) => links.toMarkdown(source, link));
    const title = plain(page.title);
    writePage(path, { title }, page.body);
    return { path, title: label === undefined ? title : label, markdown: `# ${copy.title}\n\n${copy.body}` };
  });
  links.writeSources();
  const sdk = await stageSdkReference(root);
  const staged: Staged = { pages: [...pages, ...sdk], sdkPages: sdk };
  writeFileSync(stagedFile, JSON.stringify(staged));
}

function rewriteAt(source: string, ...args: Parameters<typeof rewrite>) {
  try {
    return rewrite(...args);
  } catch (error) {
    throw new Error(`${source}: ${(error as Error).message}`);
  }
}

function drawn(language: string, code: string): string | undefined {
  return language === 'mermaid' ? drawDiagram(code) : undefined;
}

async function stageSdkReference(root: string): Promise<readonly StagedPage[]> {
  const pages = await printSdkReference(root);
  return pages.map(({ name, title, body }) => {
    const path = `reference/sdk/${name}`;
    const inMarkdown = (ending: string) =>
      body.replaceAll(/\]\(\.\/([\w-]+)\.md/g, (_, target: string) => `](${base}/reference/sdk/${target}${ending}`);
    writePage(path, { title, tableOfContents: { maxHeadingLevel: 3 } }, inMarkdown('/'));
    return { path, title, markdown: `# ${title}\n\n${inMarkdown('.md')}` };
  });
}

/** Resolves the links of documents, and collects the files that they lead to. */
class Links {
  readonly #root: string;
  readonly #pathOf: ReadonlyMap<string, string>;
  // The contract as data is on the site whether a document links to it or not.
  readonly #sources = new Set(['docs/reference/openapi.json', 'docs/reference/asyncapi.json']);

  constructor(root: string, pathOf: ReadonlyMap<string, string>) {
    this.#root = root;
    this.#pathOf = pathOf;
  }

  toPage(from: string, link: string): string {
    return this.#resolve(from, link, (path) => `${base}/${path}/`);
  }

  toMarkdown(from: string, link: string): string {
    return this.#resolve(from, link, (path) => `${base}/${path}.md`);
  }

  #resolve(from: string, link: string, toAddress: (path: string) => string): string {
    if (/^([a-z]+:|#|\/)/.test(link)) return link;
    const [destination = '', anchor] = link.split('#');
    const target = this.#find(posix.join(posix.dirname(from), destination));
    const hash = anchor === undefined ? '' : `#${anchor}`;
    const path = this.#pathOf.get(target);
    if (path !== undefined) return toAddress(path) + hash;
    this.#sources.add(target);
    return isShown(target) ? `${base}/${sourcePath(target)}/${hash}` : `${base}/files/${target}`;
  }

  #find(target: string): string {
    const place = join(this.#root, target);
    if (target.startsWith('..') || !existsSync(place))
      throw new Error(`A link leads to ${target}, which does not exist.`);
    return statSync(place).isDirectory() ? this.#find(posix.join(target, 'README.md')) : target;
  }

  /** Writes a page for each file of code that a document links to, and copies the other files. */
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

/** Whether the text of a file is shown on a page; other files are copied. */
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
