import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeInstallLines, type PackageName } from '../install-lines.ts';
import { documentsWithInstallLines, rewriteInstallLines } from './install-blocks.ts';
import { listFiles } from './list-files.ts';
import { root } from './published-packages.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = Object.keys(documentsWithInstallLines).map((path) => [path, read(path)] as const);
const blocksOf = (page: string) => page.match(/<!-- install: .*?<!-- end -->/gs) ?? [];
const fromRegistry =
  /\b(npx|npm (install|i|exec))\b.*@agent-platform\/|"-y", "@agent-platform\/|npm create agent-platform/;

it.each(listFiles(root, '*.md', '*llms.txt'))(
  '%s needs no package of ours from the registry while none is published',
  (path) => {
    expect(rewriteInstallLines(read(path), false)).not.toMatch(fromRegistry);
  },
);

it.each(pages)('%s names the registry in each block once the packages are published', (_path, page) => {
  const published = rewriteInstallLines(page, true);

  for (const block of blocksOf(published)) {
    expect(block).toMatch(/`npx`|@agent-platform\/|npm create/);
    expect(block).not.toMatch(/packages\/|checkout|clone|npm (run|start)/);
  }
  expect(blocksOf(published).some((block) => fromRegistry.test(block))).toBe(true);
  expect(rewriteInstallLines(published, false)).toBe(rewriteInstallLines(page, false));
});

it.each([false, true])(
  'has set-up lines in the form of each client that start the server (published: %s)',
  (published) => {
    const blocks = blocksOf(rewriteInstallLines(read('mcp/README.md'), published));
    const codes = blocks.map((block) => /```\w+\n(.*?)\n```/s.exec(block)?.[1] ?? '');
    const start = [...makeInstallLines('mcp', published).start, '--profile', 'alice'];
    const [command, ...args] = start;
    const words = args.map((word) => JSON.stringify(word)).join(', ');

    expect(codes.map((code) => (code.startsWith('{') ? JSON.parse(code) : code))).toEqual(
      expect.arrayContaining([
        { mcpServers: { 'agent-platform': { command, args } } },
        { servers: { 'agent-platform': { type: 'stdio', command, args } } },
        { context_servers: { 'agent-platform': { command, args } } },
        `[mcp_servers.agent-platform]\ncommand = "${command}"\nargs = [${words}]`,
        `codex mcp add agent-platform -- ${start.join(' ')}`,
        `claude mcp add agent-platform -- ${start.join(' ')}`,
      ]),
    );
  },
);

it('refuses a block without a line that it knows', () => {
  expect(() => rewriteInstallLines('<!-- install: cli -->\nnpm i agentp\n<!-- end -->', true)).toThrow(
    'No line of cli',
  );
});

it.each<PackageName>(['cli', 'conformance', 'mcp', 'sdk', 'server'])(
  'the tarball of %s comes with those it needs',
  (name) => {
    const needed = (of: string): readonly string[] => {
      const { dependencies } = JSON.parse(read(`${of}/package.json`));
      const own = Object.keys(dependencies).flatMap((each) => /^@agent-platform\/(.*)/.exec(each)?.[1] ?? []);
      return [of, ...own.flatMap(needed)];
    };
    const tarballs = makeInstallLines(name, false)
      .install('')
      .matchAll(/packages\/agent-platform-(\w+)-\*\.tgz/g);

    expect([...tarballs].map(([, each]) => each).toSorted()).toEqual([...new Set(needed(name))].toSorted());
  },
);
