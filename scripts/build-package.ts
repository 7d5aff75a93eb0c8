import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { build, type Options } from 'tsup';
import { summarizeTypes } from './summarize-types.ts';
import { writeDeclarations } from './write-declarations.ts';

// Builds the package in the current folder; `pnpm pack` and `pnpm publish` run it. Produces ES modules with types and
// source maps for the oldest supported Node.js. Bundles private packages of this repository and keeps other
// dependencies as imports. Builds the files in `publishConfig` of the manifest and copies the files named as arguments.
// This folder depends on TypeScript 6 because TypeScript 7 lacks the compiler API that writes the types of a single
// entry point.

/** Programs are listed in `publishConfig.exports` by path only. */
interface EntryPoint {
  readonly types: string;
  readonly default: string;
}

interface Manifest {
  readonly publishConfig: {
    readonly exports: { readonly [name: string]: EntryPoint | string };
    /** The imports of the package, by runtime condition. */
    readonly imports?: { readonly [name: string]: { readonly [condition: string]: string } };
    readonly bin?: Record<string, string>;
  };
}

const { publishConfig }: Manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const toSource = (built: string) => built.replace('./dist/', 'src/').replace(/\.js$/, '.ts');
const targets = Object.values(publishConfig.exports);
const entryPoints = targets.filter((target) => typeof target !== 'string');
const typed = entryPoints.map((target) => toSource(target.default));
const programs = [...targets, ...Object.values(publishConfig.bin ?? {})].filter((path) => typeof path === 'string');

// Removes calls of `require` for Node.js modules, because users' bundlers could not convert them to ES modules.
const withoutRequire: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'without-require',
  setup: ({ onLoad }) => {
    // Commander uses this module to start subcommands as separate programs; this project has none.
    onLoad({ filter: /node_modules\/commander\/lib\/command\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace("import childProcess from 'node:child_process';", ''),
    }));
    onLoad({ filter: /node_modules\/(tweetnacl|ws)\/.*\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        // Disables tweetnacl's source of random bytes: the packages never use it, and it would fail in a browser.
        .replace("typeof require !== 'undefined'", 'false')
        .replaceAll(/\brequire\('([a-z]+)'\)/g, (call, name) =>
          isBuiltin(name) ? `process.getBuiltinModule('${name}')` : call,
        ),
    }));
  },
};

// A package's own `#` imports remain imports; those of a bundled package are bundled with it.
const ownImports = /^#/;
const hasImports = publishConfig.imports !== undefined;
const byRuntime = Object.values(publishConfig.imports ?? {}).flatMap((targets) => Object.values(targets));
const options = {
  config: false,
  external: hasImports ? [ownImports] : [],
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  // Keeps the prefix `node:`, because `node:sqlite` does not exist without it.
  removeNodeProtocol: false,
  sourcemap: true,
  // Bundles the contract (small without its schemas), because a program that loads fewer files starts faster.
  noExternal: [/^@agent-platform\/contract\/(client|keys)$/, ...(hasImports ? [] : [ownImports])],
  metafile: true,
  esbuildPlugins: [withoutRequire],
  silent: true,
} satisfies Options;
const valuesEntry = 'src/entry-points/values.ts';
const entry = [
  ...new Set([
    ...typed,
    ...[...programs, ...byRuntime].filter((path) => path.endsWith('.js')).map(toSource),
    ...(existsSync(valuesEntry) ? [valuesEntry] : []),
  ]),
];
// The types of private packages are bundled too; the compiler finds them by these paths.
const paths = { '@agent-platform/cli-core/*': ['../cli-core/src/*'] };
// Without `stableTypeOrdering`, the order of members in the types would depend on the order in which files are read.
const compilerOptions = { paths, stableTypeOrdering: true };
// Several entry points share declarations, so each source file gets its own declaration file, with a map to its
// source.
const isOfFiles = typed.length > 1;
const dts = isOfFiles ? false : { entry: typed, compilerOptions };
// A package with declaration maps contains the sources, so its maps need no copies of them.
const esbuildOptions: Options['esbuildOptions'] = (esbuild) => {
  esbuild.sourcesContent = !isOfFiles;
};
await build({ ...options, entry, dts, esbuildOptions, clean: true });
if (isOfFiles) writeDeclarations(typed);
for (const file of process.argv.slice(2)) copyFileSync(file, join('dist', basename(file)));

// The licences of bundled packages must be distributed with the bundle.
const { inputs }: { readonly inputs: object } = JSON.parse(readFileSync('dist/metafile-esm.json', 'utf8'));
rmSync('dist/metafile-esm.json');
for (const path of Object.keys(inputs)) {
  const [, place = '', name = ''] = /(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(path) ?? [];
  if (name === '') continue;
  const licence = readdirSync(place).find((file) => file.toLowerCase() === 'license') ?? 'LICENSE';
  copyFileSync(join(place, licence), `dist/${name.replace('/', '-')}.LICENSE`);
}

// The runtime check must run before the dependencies are loaded, because they may fail on an old Node.js; a bundler
// would put them first.
const runtimeCheck = 'src/supported-node.ts';
if (existsSync(runtimeCheck)) {
  await build({ ...options, entry: [runtimeCheck], clean: false, metafile: false });
  for (const { default: built } of entryPoints) {
    if (!readFileSync(toSource(built), 'utf8').includes("/supported-node.ts';\n")) continue;
    const path = relative(dirname(built), 'dist/supported-node.js');
    // Prepends the check to the first line without a line break, so that the source map remains correct.
    writeFileSync(built, `import './${path}';${readFileSync(built, 'utf8')}`);
  }
}

// A package with an llms.txt also contains a short file with all its types, for language models.
if (existsSync('llms.txt')) {
  const files = new Map(findDeclarations().map((name) => [name, readFileSync(join('dist', name), 'utf8')]));
  writeFileSync('dist/types.txt', summarizeTypes(files, 'index.d.ts'));
}

function findDeclarations(): readonly string[] {
  return readdirSync('dist', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.d.ts'));
}
