import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Writes the declarations of the entry points and of all files they import into `dist` of the package in the current
 * folder. Each source file gets one declaration file with a map to it, so that an editor opens the source.
 */
export function writeDeclarations(entryPoints: readonly string[]): void {
  const config = 'dist/declarations.json';
  const compilerOptions = {
    noEmit: false,
    allowJs: false,
    checkJs: false,
    declaration: true,
    emitDeclarationOnly: true,
    declarationMap: true,
    outDir: '.',
    rootDir: '../src',
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const files = entryPoints.map((path) => `../${path}`);
  writeFileSync(config, JSON.stringify({ extends: join(root, 'tsconfig.base.json'), compilerOptions, files }));
  const compiler = createRequire(join(root, 'package.json')).resolve('typescript/package.json');
  execFileSync(process.execPath, [join(dirname(compiler), 'bin/tsc'), '-p', config, '--checkers', '1'], {
    stdio: 'inherit',
  });
  rmSync(config);
  const reached = new Set<string>();
  for (const path of entryPoints) reach(path.replace(/^src\/(.*)\.ts$/, '$1.d.ts'), reached);
  for (const path of readdirSync('dist', { recursive: true, encoding: 'utf8' })) {
    if (/\.d\.ts(\.map)?$/.test(path) && !reached.has(path.replace(/\.map$/, ''))) rmSync(join('dist', path));
  }
}

/** Rewrites imports to the published files, recursively. */
function reach(path: string, reached: Set<string>): void {
  if (reached.has(path)) return;
  reached.add(path);
  const text = readFileSync(join('dist', path), 'utf8');
  const { imports = {} }: { readonly imports?: Readonly<Record<string, { readonly types: string }>> } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  );
  // The replacement is as long as the original, so that the map remains correct.
  writeFileSync(join('dist', path), text.replaceAll(/(["'])(\.{1,2}\/[^"']+)\.ts\1/g, '$1$2.js$1'));
  for (const [, , name = ''] of text.matchAll(/(from |import\()["']([.#][^"']+)["']/g)) {
    const source = name.startsWith('#') ? (imports[name]?.types ?? name).replace('./src/', '') : name;
    const folder = name.startsWith('#') ? '.' : posix.dirname(path);
    reach(posix.join(folder, source).replace(/\.ts$/, '.d.ts'), reached);
  }
}
