import { readFileSync } from 'node:fs';
import { build } from 'tsup';

// Builds the package in whose folder it is called; `pnpm pack` and `pnpm
// publish` call it. ES modules with types and source maps, for the oldest
// Node.js that the packages promise; dependencies stay imports. What is built
// is what `publishConfig` in its manifest points to.
//
// The types are written with the compiler API of TypeScript 6, which is why it
// is a dependency of this folder alone: TypeScript 7 has none.
interface Manifest {
  readonly publishConfig: {
    readonly exports: { readonly '.': { readonly default: string }; readonly [name: string]: unknown };
    readonly bin?: Record<string, string>;
  };
}

const { publishConfig }: Manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const toSource = (built: string) => built.replace('./dist/', 'src/').replace(/\.js$/, '.ts');
const front = toSource(publishConfig.exports['.'].default);
// What is exported beside the front door are programs, given by their path alone.
const programs = [...Object.values(publishConfig.exports), ...Object.values(publishConfig.bin ?? {})].filter(
  (path) => typeof path === 'string' && path.endsWith('.js'),
);

await build({
  config: false,
  entry: [front, ...programs.map((path) => toSource(String(path)))],
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  dts: { entry: front },
  // `node:sqlite` exists under that name only.
  removeNodeProtocol: false,
  sourcemap: true,
  clean: true,
  silent: true,
});
