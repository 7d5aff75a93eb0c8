import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listFiles } from './list-files.ts';

const declaration = /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type) (\w+)/gm;

/** Finds names under which several files of a package export a type or function. */
export function findDuplicateExports(sources: ReadonlyMap<string, string>): readonly string[] {
  const places = new Map<string, Set<string>>();
  for (const [path, text] of sources) {
    for (const [, name] of text.matchAll(declaration)) {
      const key = `${path.split('/')[0]}: ${name}`;
      places.set(key, (places.get(key) ?? new Set()).add(path));
    }
  }
  return [...places]
    .filter(([, paths]) => paths.size > 1)
    .map(([key, paths]) => `${key} is exported by ${[...paths].join(', ')}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Excludes migrations, because their frozen copies of functions have the same names as the current versions.
  const paths = listFiles('.', '*.ts').filter((path) => !/\.test\.ts$|\/migrations\//.test(path));
  const faults = findDuplicateExports(new Map(paths.map((path) => [path, readFileSync(path, 'utf8')])));
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
