import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

// The tests write files that violate the limits into a folder with a copy of this repository's configuration.
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agent-platform-limits-'));
const programs = {
  biome: createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome'),
  knip: join(root, 'scripts/node_modules/knip/bin/knip.js'),
};

function writeFile(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function run(program: string, ...args: readonly string[]) {
  const { stdout } = spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: 'utf8' });
  return JSON.parse(stdout.slice(stdout.indexOf('{'), stdout.lastIndexOf('}') + 1));
}

const lines = (count: number) => Array.from({ length: count }, (_, index) => `  call(${index});\n`).join('');
const statements = (count: number) =>
  Array.from({ length: count }, (_, index) => `export const a${index} = 1;\n`).join('');
const functionOf = (count: number) =>
  `export function longOne(call: (value: number) => void): void {\n${lines(count)}}\n`;

beforeAll(() => {
  for (const name of ['biome.json', 'knip.json']) cpSync(join(root, name), join(folder, name));
  writeFile('package.json', '{ "name": "planted", "private": true, "type": "module" }');
  writeFile('pnpm-workspace.yaml', 'packages: [sdk]\n');
  writeFile('sdk/package.json', '{ "name": "sdk", "type": "module", "exports": "./src/index.ts" }');
  writeFile('sdk/src/index.ts', `export { used } from './inner.ts';\n`);
  writeFile(
    'sdk/src/inner.ts',
    'export const inside = 1;\nexport const used = inside;\nexport interface Unused {\n  readonly a: string;\n}\n',
  );
  writeFile('sdk/src/left.ts', `import type { Right } from './right.ts';\nexport type Left = Right | 1;\n`);
  writeFile('sdk/src/right.ts', `import type { Left } from './left.ts';\nexport type Right = Left | 2;\n`);
  writeFile('sdk/src/function-60.ts', functionOf(60));
  writeFile('sdk/src/function-61.ts', functionOf(61));
  writeFile('sdk/src/function-61.test.ts', functionOf(61));
  writeFile('sdk/src/all.test.ts', `export * from './inner.ts';\n`);
  writeFile('sdk/src/lines-300.ts', statements(300));
  writeFile('sdk/src/lines-301.ts', statements(301));
  writeFile('sdk/src/lines-301.test.ts', statements(301));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the limits of Biome', () => {
  interface Diagnostic {
    readonly severity: string;
    readonly category: string;
    readonly location: { readonly path: string };
  }
  let diagnostics: readonly Diagnostic[];
  const filesOf = (rule: string) =>
    diagnostics
      .filter(({ severity, category }) => severity === 'error' && category.endsWith(`/${rule}`))
      .map(({ location }) => location.path.replace('./', ''))
      .toSorted();

  beforeAll(() => {
    const flags = ['--vcs-enabled=false', '--max-diagnostics=none', '--reporter=json'];
    diagnostics = run(programs.biome, 'lint', ...flags, '.').diagnostics;
  });

  it('refuse a function of more than 60 lines, except in a test', () => {
    expect(filesOf('noExcessiveLinesPerFunction')).toEqual(['sdk/src/function-61.ts']);
  });

  it('refuse a file of more than 300 lines, tests included', () => {
    expect(filesOf('noExcessiveLinesPerFile')).toEqual(['sdk/src/lines-301.test.ts', 'sdk/src/lines-301.ts']);
  });

  it('refuse files that import each other, even if only types', () => {
    expect(filesOf('noImportCycles')).toEqual(['sdk/src/left.ts', 'sdk/src/right.ts']);
  });

  it('refuse an entry point that exports whole files', () => {
    expect(filesOf('noReExportAll')).toEqual(['sdk/src/all.test.ts']);
  });
});

describe('the limits of knip', () => {
  it('refuse an unused file, an unused type and an export that only its own file uses', () => {
    const { issues } = run(programs.knip, '--no-progress', '--reporter', 'json');
    const named = (kind: string) =>
      issues.flatMap((issue: Record<string, readonly { readonly name: string }[]>) =>
        (issue[kind] ?? []).map(({ name }) => name),
      );

    expect(named('exports')).toEqual(['inside']);
    expect(named('types')).toEqual(['Unused']);
    expect(named('files')).toContain('sdk/src/left.ts');
  });
});
