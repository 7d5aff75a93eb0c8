import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { listFiles } from './list-files.ts';

// The sources run directly on Node.js 22.19, but the compiler's types include features of later versions.
const tooNew: readonly (readonly [what: string, form: RegExp])[] = [
  ['using declarations', /^\s*(await\s+)?using\s+\w+\s*=/m],
  ['import.meta.main', /import\.meta\.main\b/],
  ['RegExp.escape', /\bRegExp\.escape\b/],
  ['Error.isError', /\bError\.isError\b/],
  ['Promise.try', /\bPromise\.try\b/],
  ['URLPattern', /\bnew URLPattern\b/],
  ['base64 and hex of Uint8Array', /\.(fromBase64|fromHex|toBase64|toHex)\(/],
  ['Float16Array', /\bFloat16Array\b/],
];

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = [
  'contract',
  'server',
  'sdk',
  'cli-core',
  'cli',
  'mcp',
  'create',
  'conformance',
  'examples',
  'bench',
  'testing',
];
const files = folders.flatMap((folder) =>
  listFiles(join(root, folder), '*.ts').map((file) => join(folder, ...file.split('/'))),
);

describe('the sources', () => {
  it('are found', () => {
    expect(files).toContain(join('contract', 'src', 'index.ts'));
  });

  it.each(tooNew)('do without %s', (_what, form) => {
    expect(files.filter((file) => form.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
  });
});
