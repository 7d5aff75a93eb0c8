import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { build, type Options } from 'tsup';
import { summarizeTypes } from './summarize-types.ts';
import { writeDeclarations } from './write-declarations.ts';

// Builds the package in whose folder it is called; `pnpm pack` and `pnpm
// publish` call it. ES modules with types and source maps, for the oldest
// Node.js that the packages promise; dependencies stay imports, and private
// packages of this repository become part of it. What is built is what `publishConfig`
// in its manifest points to, and the files that are named as arguments.
//
// The types of a single entry point are written with the compiler API of TypeScript 6,
// which is why it is a dependency of this folder only: TypeScript 7 has none.

/** An entry point with types; a program has only a path. */
interface EntryPoint {
  readonly types: string;
  readonly default: string;
}

interface Manifest {
  readonly publishConfig: {
    readonly exports: { readonly [name: string]: EntryPoint | string };
    /** What the package imports by the conditions of a runtime. */
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

// A bundler of a user could not put these into an ES module, because they require modules of Node.js while they run.
const withoutRequire: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'without-require',
  setup: ({ onLoad }) => {
    // It starts programs that are the parts of another one, which ours have none of.
    onLoad({ filter: /node_modules\/commander\/lib\/command\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace("import childProcess from 'node:child_process';", ''),
    }));
    onLoad({ filter: /node_modules\/(tweetnacl|ws)\/.*\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        // The source of random bytes of tweetnacl, which the packages never use; a browser would fail there.
        .replace("typeof require !== 'undefined'", 'false')
        .replaceAll(/\brequire\('([a-z]+)'\)/g, (call, name) =>
          isBuiltin(name) ? `process.getBuiltinModule('${name}')` : call,
        ),
    }));
  },
};

// The own imports of a package stay imports; those of another become part of the build, like it.
const ownImports = /^#/;
const hasImports = publishConfig.imports !== undefined;
const byRuntime = Object.values(publishConfig.imports ?? {}).flatMap((targets) => Object.values(targets));
const options = {
  config: false,
  external: hasImports ? [ownImports] : [],
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  // `node:sqlite` exists under that name only.
  removeNodeProtocol: false,
  sourcemap: true,
  // Without its schemas the contract is small, and a file less to find is a start that is shorter.
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
// The types of a private package become part of the build as well, where they are found by a path.
const paths = { '@agent-platform/cli-core/*': ['../cli-core/src/*'] };
// Files are read in any order, which otherwise decides the order of members in a written type.
const compilerOptions = { paths, stableTypeOrdering: true };
// Several entry points share declarations: those of each file stay in a file of its name, with a map to its source.
const isOfFiles = typed.length > 1;
const dts = isOfFiles ? false : { entry: typed, compilerOptions };
// The sources are then in the package, not in the maps.
const esbuildOptions: Options['esbuildOptions'] = (esbuild) => {
  esbuild.sourcesContent = !isOfFiles;
};
await build({ ...options, entry, dts, esbuildOptions, clean: true });
if (isOfFiles) writeDeclarations(typed);
for (const file of process.argv.slice(2)) copyFileSync(file, join('dist', basename(file)));

// The licences of what has become part of the build.
const { inputs }: { readonly inputs: object } = JSON.parse(readFileSync('dist/metafile-esm.json', 'utf8'));
rmSync('dist/metafile-esm.json');
for (const path of Object.keys(inputs)) {
  const [, place = '', name = ''] = /(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(path) ?? [];
  if (name === '') continue;
  const licence = readdirSync(place).find((file) => file.toLowerCase() === 'license') ?? 'LICENSE';
  copyFileSync(join(place, licence), `dist/${name.replace('/', '-')}.LICENSE`);
}

// The check of the runtime must run before the dependencies, which may not load on an old one; in a bundle they would come first.
const runtimeCheck = 'src/supported-node.ts';
if (existsSync(runtimeCheck)) {
  await build({ ...options, entry: [runtimeCheck], clean: false, metafile: false });
  for (const { default: built } of entryPoints) {
    if (!readFileSync(toSource(built), 'utf8').includes("/supported-node.ts';\n")) continue;
    const path = relative(dirname(built), 'dist/supported-node.js');
    // On the first line, so that the source map stays right.
    writeFileSync(built, `import './${path}';${readFileSync(built, 'utf8')}`);
  }
}

// A package with an llms.txt for language models has all its types in one short file beside it.
if (existsSync('llms.txt')) {
  const files = new Map(findDeclarations().map((name) => [name, readFileSync(join('dist', name), 'utf8')]));
  writeFileSync('dist/types.txt', summarizeTypes(files, 'index.d.ts'));
}

function findDeclarations(): readonly string[] {
  return readdirSync('dist', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.d.ts'));
}
