import { existsSync } from 'node:fs';
import { build } from 'tsup';

// Builds the package in whose folder it is called; `pnpm pack` and `pnpm
// publish` call it. ES modules with types and source maps, for the oldest
// Node.js that the packages promise; dependencies stay imports.
//
// The types are written with the compiler API of TypeScript 6, which is why it
// is a dependency of this folder alone: TypeScript 7 has none.
const entry = ['src/index.ts', 'src/main.ts'].filter((path) => existsSync(path));

await build({
  config: false,
  entry,
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  dts: true,
  sourcemap: true,
  clean: true,
  silent: true,
});
