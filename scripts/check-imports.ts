import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import type { IModule } from 'dependency-cruiser';
import { optionalPeers } from './dependency-rules.ts';
import { readImports } from './import-graph.ts';

// Checks the imports in the current folder, including type imports: the rules of dependency-rules.ts, cycles between
// packages and between folders, and oversized folders and files. Biome finds cycles between files.

const folderMaxFiles = 20;
const folderMinEntries = 3;
const fileMaxLines = 300;

/** The imports of each source file. Excludes tests, which may import everything. */
type Graph = ReadonlyMap<string, readonly string[]>;

function toGraph(modules: readonly IModule[]): Graph {
  const isSource = (path: string) => /^[^/]+\/src\/.*\.ts$/.test(path) && !path.endsWith('.test.ts');
  const sources = modules.filter(({ source }) => isSource(source));
  return new Map(
    sources.map(({ source, dependencies }) => [
      source,
      dependencies.map(({ resolved }) => resolved).filter((resolved) => isSource(resolved)),
    ]),
  );
}

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

// Areas create test data, such as friends, for others, so their folders may form a cycle; their files may not.
const mayCircle = 'conformance/src/areas';

/** Finds siblings at each folder level that import each other directly or indirectly. */
function findCircles(graph: Graph): readonly string[] {
  const folders = new Set([...graph.keys()].flatMap(foldersAbove).filter((folder) => folder !== mayCircle));
  return [...folders].flatMap((folder) => {
    const arrows = new Map<string, Set<string>>();
    for (const [file, imports] of graph) {
      const from = childOf(folder, file);
      const to = imports.map((path) => childOf(folder, path)).filter((child) => child !== undefined && child !== from);
      if (from === undefined) continue;
      arrows.set(from, new Set([...(arrows.get(from) ?? []), ...to.map(String)]));
    }
    const inCircle = [...arrows.keys()].filter((child) => reachableFrom(child, arrows).has(child));
    return inCircle.length === 0 ? [] : [`${folder}: ${inCircle.join(', ')} import each other in a cycle`];
  });
}

function foldersAbove(file: string): readonly string[] {
  const folder = posix.dirname(file);
  return folder === '.' ? [] : [folder, ...foldersAbove(folder)];
}

function childOf(folder: string, path: string): string | undefined {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split('/')[0] : undefined;
}

function reachableFrom(start: string, arrows: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = [...(arrows.get(start) ?? [])];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    waiting.push(...(arrows.get(next) ?? []));
  }
  return reached;
}

/** Finds a cycle of packages, including optional peers and test dependencies, and returns its path. */
function findPackageCircle(): readonly string[] {
  const files = readdirSync('.')
    .map((name) => `${name}/package.json`)
    .filter(existsSync);
  const known = files.map((file): Manifest => JSON.parse(readFileSync(file, 'utf8')));
  const needs = new Map(
    known.map((one) => [
      one.name,
      Object.keys({
        ...one.dependencies,
        ...one.devDependencies,
        ...one.optionalDependencies,
        ...one.peerDependencies,
      }),
    ]),
  );
  const withoutCircle = new Set<string>();
  const follow = (name: string, path: readonly string[]): string | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name].join(' -> ');
    for (const needed of withoutCircle.has(name) ? [] : (needs.get(name) ?? [])) {
      const circle = follow(needed, [...path, name]);
      if (circle !== undefined) return circle;
    }
    withoutCircle.add(name);
    return undefined;
  };
  for (const name of needs.keys()) {
    const circle = follow(name, []);
    if (circle !== undefined) return [`packages depend on each other in a cycle: ${circle}`];
  }
  return [];
}

function findFoldersOfWrongSize(graph: Graph): readonly string[] {
  const byFolder = Map.groupBy(graph.keys(), (file) => posix.dirname(file));
  const isEntry = (folder: string) => /^[^/]+\/src$/.test(folder);
  return [...new Set([...graph.keys()].flatMap(foldersAbove))].flatMap((folder) => {
    const files = byFolder.get(folder) ?? [];
    const entries = new Set([...graph.keys()].flatMap((file) => childOf(folder, file) ?? []));
    if (files.length > folderMaxFiles)
      return [`${folder}: ${files.length} source files in one folder, at most ${folderMaxFiles}`];
    if (entries.size >= folderMinEntries || isEntry(folder) || !folder.includes('/')) return [];
    return [
      `${folder}: ${entries.size} files and folders, at least ${folderMinEntries}; move them into the folder above`,
    ];
  });
}

// A separate check, because Biome counts a comment of many lines as one line.
function findLongFiles(files: readonly string[]): readonly string[] {
  const lengths = files
    .filter(existsSync)
    .map((file) => [file, readFileSync(file, 'utf8').split('\n').length - 1] as const);
  return lengths
    .filter(([, lines]) => lines > fileMaxLines)
    .map(([file, lines]) => `${file}: ${lines} lines in one file, at most ${fileMaxLines}`);
}

// Searches the text for package names, because a string can load a package without an import declaration.
function findNamesOfPeers(files: readonly string[]): readonly string[] {
  return optionalPeers.flatMap(({ from, name, file: known }) =>
    files
      .filter((file) => from.test(file) && file !== known && existsSync(file))
      .filter((file) => readFileSync(file, 'utf8').includes(name))
      .map((file) => `${file} names ${name.slice(1)}; only ${known} may name it`),
  );
}

const { modules, summary } = await readImports();
const graph = toGraph(modules);
const faults = [
  ...summary.violations.map(({ from, to, rule }) => `${from} imports ${to}: ${rule.name}`),
  ...findPackageCircle(),
  ...findCircles(graph),
  ...findFoldersOfWrongSize(graph),
  ...findNamesOfPeers([...graph.keys()]),
  ...findLongFiles(modules.map(({ source }) => source).filter((source) => /\.(ts|mjs)$/.test(source))),
];
for (const fault of faults) console.error(fault);
console.error(`${modules.length} files, ${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
