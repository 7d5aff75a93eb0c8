import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readParagraphs } from '@agent-platform/conformance/documents';
import { expect, it } from 'vitest';
import { listFiles } from './list-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const paragraphs = new Set(readParagraphs().map(({ number }) => number));
const files = listFiles(root, '*.ts', '*.md', '*.yaml', '*.yml', '*.mjs');

function findCitations(pattern: RegExp): readonly string[] {
  return files.flatMap((path) => {
    const matches = readFileSync(`${root}/${path}`, 'utf8').matchAll(pattern);
    return [...matches].map(([citation]) => `${path}: ${citation}`);
  });
}

it('cites paragraphs that the specification has', () => {
  const citations = findCitations(/§\d+(?:\.\d+)?/g);
  expect(citations.length).toBeGreaterThan(100);
  expect(citations.filter((citation) => !paragraphs.has(citation.split('§')[1] ?? ''))).toEqual([]);
});

it('cites no numbers of decisions', () => {
  // P-256 is an elliptic curve, not a citation.
  expect(findCitations(/\b[DP]-(?!256\b)\d+\b/g)).toEqual([]);
});
