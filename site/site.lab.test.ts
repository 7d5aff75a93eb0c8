import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { computeScore, runChecks } from 'afdocs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSiteManifest } from './finish/manifest.ts';
import { quickStartCommands } from './src/front-page.ts';
import { openBuiltSite } from './testing/built-site.ts';
import { expectedSearchResults } from './testing/questions.ts';

let built: Awaited<ReturnType<typeof openBuiltSite>>;
let names: readonly string[];
beforeAll(async () => {
  built = await openBuiltSite();
  names = Object.keys(built.manifest.files);
});
afterAll(() => built?.close());

const read = (name: string) => readFileSync(join(built.folder, name), 'utf8');
const pages = () => names.filter((name) => name.endsWith('.html'));
const decode = (text: string) => decodeURIComponent(text.replaceAll('&amp;', '&').replaceAll('&#38;', '&'));

function valuesOf(html: string, attribute: string): readonly string[] {
  return [...html.matchAll(new RegExp(`<[^>]* ${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) => decode(value));
}

/** Returns the file and anchor to which a link points, or undefined for a link to another site. */
function targetOf(name: string, link: string): { readonly file: string; readonly anchor: string } | undefined {
  if (/^(https?|mailto|data):/.test(link)) return undefined;
  const [path = '', anchor = ''] = link.split('#');
  const from = `/docs/${name.replace(/index\.html$/, '')}`;
  const absolute =
    path === '' ? `/docs/${name}` : path.startsWith('/') ? path : posix.join(posix.dirname(`${from}x`), path);
  const file = absolute.replace(/^\/docs\//, '').replace(/(^|\/)$/, '$1index.html');
  return { file: absolute.startsWith('/docs/') ? file : `outside of the site: ${absolute}`, anchor };
}

describe('the links of the site', () => {
  it('lead to pages, files and headings that exist', () => {
    const anchors = new Map(pages().map((name) => [name, new Set(valuesOf(read(name), 'id'))]));
    const dead = pages().flatMap((name) => {
      const html = read(name);
      const links = [...valuesOf(html, 'href'), ...valuesOf(html, 'src')];
      return [...new Set(links)]
        .filter((link) => {
          const target = targetOf(name, link);
          if (target === undefined) return false;
          if (!names.includes(target.file)) return true;
          return target.anchor !== '' && anchors.get(target.file)?.has(target.anchor) === false;
        })
        .map((link) => `${name}: ${link}`);
    });

    expect(dead).toEqual([]);
  });

  it('lead to files that exist, in the Markdown too', () => {
    const documents = names.filter((name) => /\.(md|txt)$/.test(name) && !name.startsWith('files/'));
    const dead = documents.flatMap((name) =>
      [...read(name).matchAll(/\]\((\/[^)#\s]*)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !names.includes(targetOf(name, link)?.file ?? ''))
        .map((link) => `${name}: ${link}`),
    );

    expect(dead).toEqual([]);
  });

  it('reach every page from the front page in three clicks', () => {
    const clicks = new Map([['index.html', 0]]);
    for (const [name, count] of clicks) {
      if (count === 3) continue;
      for (const link of valuesOf(read(name), 'href')) {
        const file = targetOf(name, link)?.file ?? '';
        if (file.endsWith('.html') && names.includes(file) && !clicks.has(file)) clicks.set(file, count + 1);
      }
    }

    expect(pages().filter((name) => !clicks.has(name) && name !== '404.html')).toEqual([]);
    expect(clicks.size).toBeGreaterThan(90);
  });

  it('load no part of a page from another machine', () => {
    const parts =
      /(?:<(?:script|img|iframe|source)\b[^>]*\bsrc|<link\b[^>]*\brel="(?!canonical|sitemap)[^>]*\bhref)="(?:https?:)?\/\/|url\(["']?(?:https?:)?\/\/|@import ["'](?:https?:)?\/\//;

    expect(names.filter((name) => /\.(html|css)$/.test(name) && parts.test(read(name)))).toEqual([]);
  });
});

describe('the search of the site', () => {
  it.each([
    ['reserve', '/docs/guides/order/'],
    ['ack', '/docs/explanation/events/'],
    ['retry', '/docs/reference/sdk/in-depth/'],
    ['S3', '/docs/operating/files/'],
    ['publish', '/docs/guides/publish/'],
  ])('finds for "%s" the page %s first', async (words, path) => {
    expect((await built.search(words))[0]?.path).toBe(path);
  });

  it.each(expectedSearchResults)('answers "%s" with one of its first two results', async (words, ...pages) => {
    const paths = (await built.search(words)).slice(0, 2).map(({ path }) => path);

    expect(paths).toSatisfy((found: readonly string[]) => pages.some((page) => found.includes(`/docs/${page}/`)));
  });

  it('gives every page a title that contains words', async () => {
    const titles = pages().map((name) => /<h1[^>]*>(.*?)<\/h1>/s.exec(read(name))?.[1] ?? '');

    expect(titles.filter((title) => !/[\p{L}\p{N}]/u.test(title))).toEqual([]);
  });

  it('finds a guide before operations of the API', async () => {
    const paths = (await built.search('order')).map(({ path }) => path);

    expect(paths).toContain('/docs/guides/order/');
    const before = paths.slice(0, paths.indexOf('/docs/guides/order/'));
    expect(before.filter((path) => path.includes('/operations/'))).toEqual([]);
  });
});

describe('the front page', () => {
  it('shows commands of the start page, which the tests execute', () => {
    const start = readFileSync(join(built.folder, 'start.md'), 'utf8');
    const commands = quickStartCommands.filter((line) => !line.startsWith('alias '));

    for (const line of commands) {
      expect(start).toContain(line.replace(/ +#.*/, '').replace(/^agentp /, 'npm run -s agentp -- '));
    }
  });
});

describe('the site for language models', () => {
  it('has the full score of the Agent-Friendly Documentation Spec', async () => {
    const report = await runChecks(`${built.url}/docs/`, {
      ...{ samplingStrategy: 'deterministic', requestDelay: 0, maxConcurrency: 8 },
    });
    const failed = report.results.filter(({ status }) => status === 'fail');

    expect(failed.map(({ id, message }) => `${id}: ${message}`)).toEqual([]);
    expect(computeScore(report).overall).toBe(100);
  });
});

describe('the build of the site', () => {
  it('describes every file in its manifest', async () => {
    expect(built.manifest).toEqual(buildSiteManifest(built.folder));
    expect(built.manifest.policy).toMatch(/script-src 'self' 'wasm-unsafe-eval' 'sha256-/);
    for (const name of names) {
      const { status } = await fetch(`${built.url}/docs/${name}`, { redirect: 'manual' });
      expect({ name, status }).toEqual({ name, status: 200 });
    }
  });

  it('has no page of more than 40,000 characters', () => {
    const isPage = (name: string) => name.endsWith('.md') && !name.startsWith('files/');

    expect(names.filter((name) => isPage(name) && read(name).length > 40_000)).toEqual([]);
  });

  it('has only scripts that the policy can name', () => {
    const inAttributes = /<[^>]* on[a-z]+="|<[^>]* (?:href|src|action)="javascript:/;

    expect(pages().filter((name) => inAttributes.test(read(name)))).toEqual([]);
  });

  it('draws every diagram', () => {
    expect(
      pages().filter(
        (name) => read(name).includes('language-mermaid') || read(name).includes('data-language="mermaid"'),
      ),
    ).toEqual([]);
    expect(read('explanation/architecture/index.html')).toContain('<figure class="diagram"');
  });

  it('has the Markdown of each document beside its page, and lists it for language models', () => {
    const documents = names.filter((name) => name.endsWith('.md') && !name.startsWith('files/'));
    const list = read('llms.txt');
    const all = read('llms-full.txt');

    expect(documents.length).toBeGreaterThan(40);
    for (const name of documents) {
      expect(names).toContain(name.replace(/\.md$/, '/index.html'));
      expect(list).toContain(`(/docs/${name})`);
      expect(all).toContain(read(name).replace(/> The list of all pages: .*\n\n/, ''));
    }
  });
});
