import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { listFiles } from './list-files.ts';
import { findPublishedPackages } from './published-packages.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');

describe('the decisions', () => {
  const index = 'docs/decisions/README.md';
  const files = listFiles(root, 'docs/decisions/*.md').filter((path) => path !== index);
  const decisionsOf = (path: string) => read(path).split(/^## /m).slice(1);

  it('are at most 60, of at most 60 words each with their headings', () => {
    const decisions = files.flatMap(decisionsOf);
    const tooLong = decisions.filter((text) => text.trim().split(/\s+/).length > 60);

    expect(tooLong).toEqual([]);
    expect(decisions.length).toBeLessThanOrEqual(60);
    expect(decisions.length).toBeGreaterThan(0);
  });

  it('are in files of 4 to 12, each in the index', () => {
    const linked = [...read(index).matchAll(/\]\(([a-z-]+\.md)\)/g)].map(([, name]) => name);

    expect(linked.toSorted()).toEqual(files.map((path) => basename(path)).toSorted());
    for (const path of files) {
      expect(decisionsOf(path).length, path).toBeGreaterThanOrEqual(4);
      expect(decisionsOf(path).length, path).toBeLessThanOrEqual(12);
    }
  });
});

describe('the map for reviewers', () => {
  const rows = [...read('docs/map-for-reviewers.md').matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)];
  const paths = rows.map(([, path = '']) => path);

  it('names each file once, and files that exist', () => {
    expect(paths.length).toBeGreaterThan(12);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths.filter((path) => !existsSync(`${root}${path}`))).toEqual([]);
  });

  it('has fewer than 3,000 lines to read', () => {
    const lines = paths.map((path) => read(path).split('\n').length - 1);

    expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThan(3_000);
  });
});

it.each(['AGENTS.md', 'README.md'])('%s has at most 60 lines', (path) => {
  expect(read(path).trimEnd().split('\n').length).toBeLessThanOrEqual(60);
});

it.each(findPublishedPackages().map((name) => `${name}/README.md`))('%s states its audience and its limits', (path) => {
  expect(read(path)).toMatch(/\b[Ff]or (authors|people|operators)\b/);
  expect(read(path)).toMatch(/^\*\*Limits\.\*\* /m);
});

it('the documents name only functions and members that exist', () => {
  const wordsOf = (path: string) => read(path).match(/\w+/g) ?? [];
  const words = new Set(listFiles(root, '*.ts', '*.mjs', '*.json', '*.yaml').flatMap(wordsOf));
  // Names from Kubernetes and from a framework, which the sources do not contain.
  for (const name of ['terminationGracePeriodSeconds', 'streamText']) words.add(name);
  const documents = listFiles(root, '*.md').filter((path) => !/^(results\/|CHANGELOG)/.test(path));
  const named = documents.flatMap((path) =>
    [...read(path).matchAll(/`([a-z]+[A-Z]\w+)(?:\(\))?`/g)].map(([, name = '']) => ({ path, name })),
  );

  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ name }) => !words.has(name))).toEqual([]);
});
