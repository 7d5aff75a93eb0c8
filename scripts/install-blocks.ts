import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPublished, makeInstallLines, type PackageName } from '../install-lines.ts';
import { listFiles } from './list-files.ts';
import { root } from './published-packages.ts';

const block = /(<!-- install: ([a-z-]+) -->\n)(.*?)(<!-- end -->)/gs;

/** Rewrites the lines between marker comments that install or start a package. */
export function rewriteInstallLines(page: string, published: boolean): string {
  return page.replaceAll(block, (_, begin: string, name: PackageName, text: string, end: string) => {
    const [from, to] = [formsOf(name, !published), formsOf(name, published)];
    if (![...from, ...to].some((form) => text.includes(form))) throw new Error(`No line of ${name} is in: ${text}`);
    return begin + from.reduce((changed, form, at) => changed.replaceAll(form, to[at] ?? ''), text) + end;
  });
}

/** The parts of a block that differ between published and unpublished packages, always in the same order. */
function formsOf(name: PackageName, published: boolean): readonly string[] {
  const { start, run, install } = makeInstallLines(name, published);
  const [program = '', ...words] = start.map((word) => JSON.stringify(word));
  return [
    published ? 'With Node.js 22.19 or later' : 'In a clone of the repository',
    published ? 'fetched by `npx`' : 'part of a clone',
    published
      ? '`npx` fetches the package at the first start.'
      : '`/path/to/checkout` is your clone of the repository.',
    published ? '"$(npm root --global)/@agent-platform/cli/dist/SKILL.md"' : '/path/to/checkout/skills/agentp/SKILL.md',
    install('--global'),
    install('--prefix ../my-agent'),
    published
      ? 'npm create agent-platform my-bot\ncd my-bot && npm install'
      : `node create/src/main.ts ../my-bot\n${install('--prefix ../my-bot')}\ncd ../my-bot`,
    ...(run === '' ? [] : [run, words.join(', '), `command": ${program}`, `command = ${program}`]),
  ];
}

/** The rewritten documents, by path in the repository. */
export const documentsWithInstallLines: Readonly<Record<string, () => string>> = Object.fromEntries(
  listFiles(root, '*.md')
    .map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)
    .filter(([, page]) => /<!-- install: [a-z]/.test(page))
    .map(([path, page]) => [path, () => rewriteInstallLines(page, isPublished)]),
);
