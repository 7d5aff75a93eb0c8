import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { installLines, type PackageName } from '../install-lines.ts';
import { installDocuments, printInstallLines } from './install-blocks.ts';
import { listFiles } from './list-files.ts';
import { root } from './published-packages.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = Object.keys(installDocuments).map((path) => [path, read(path)] as const);
const blocksOf = (page: string) => page.match(/<!-- install: .*?<!-- end -->/gs) ?? [];
const fromRegistry = /\b(npx|npm (install|i|exec))\b.*@agent-platform\/|"-y", "@agent-platform\//;

it.each(listFiles(root, '*.md', '*llms.txt'))(
  '%s needs no package of ours from the registry while none is published',
  (path) => {
    expect(printInstallLines(read(path), false)).not.toMatch(fromRegistry);
  },
);

it.each(pages)('%s names the registry in each block once the packages are published', (_path, page) => {
  const published = printInstallLines(page, true);

  for (const block of blocksOf(published)) {
    expect(block).toMatch(/`npx`|@agent-platform\//);
    expect(block).not.toMatch(/packages\/|checkout|clone|npm (run|start)/);
  }
  expect(blocksOf(published).some((block) => fromRegistry.test(block))).toBe(true);
  expect(printInstallLines(published, false)).toBe(printInstallLines(page, false));
});

it('refuses a block without a line that it knows', () => {
  expect(() => printInstallLines('<!-- install: cli -->\nnpm i agentp\n<!-- end -->', true)).toThrow('No line of cli');
});

it.each<PackageName>(['cli', 'conformance', 'mcp', 'sdk', 'server'])(
  'the tarball of %s comes with those it needs',
  (name) => {
    const needed = (of: string): readonly string[] => {
      const { dependencies } = JSON.parse(read(`${of}/package.json`));
      const own = Object.keys(dependencies).flatMap((each) => /^@agent-platform\/(.*)/.exec(each)?.[1] ?? []);
      return [of, ...own.flatMap(needed)];
    };
    const tarballs = installLines(name, false)
      .install('')
      .matchAll(/packages\/agent-platform-(\w+)-\*\.tgz/g);

    expect([...tarballs].map(([, each]) => each).toSorted()).toEqual([...new Set(needed(name))].toSorted());
  },
);
