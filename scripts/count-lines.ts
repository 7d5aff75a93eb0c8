import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listFiles } from './list-files.ts';

// `npm run lines` prints the size of each package. It fails if a package exceeds its ceiling in line-ceilings.json; a
// commit that raises a ceiling must change nothing else.

const patterns = ['*.ts', '*.mjs', '*.js', '*.astro', '*.css'];
const parts = ['source', 'tests', 'apparatus'] as const;
type Part = (typeof parts)[number];

interface Size {
  lines: number;
  characters: number;
}

/** Counts the files in the root as one more package. */
export function countLines(files: ReadonlyMap<string, string>): ReadonlyMap<string, Record<Part, Size>> {
  const packages = new Map<string, Record<Part, Size>>();
  for (const [path, text] of files) {
    const name = path.includes('/') ? (path.split('/')[0] ?? '') : 'root';
    const empty = () => ({ lines: 0, characters: 0 });
    const sizes = packages.get(name) ?? { source: empty(), tests: empty(), apparatus: empty() };
    packages.set(name, sizes);
    const size = sizes[partOf(path)];
    size.lines += text.split('\n').length - 1;
    size.characters += text.length;
  }
  return packages;
}

function partOf(path: string): Part {
  if (/\.test\.ts$/.test(path)) return 'tests';
  return /^([^/]+\/)?testing\/|^browser\//.test(path) ? 'apparatus' : 'source';
}

/** Returns a message for each package that exceeds its ceiling or has none. */
export function findExceededCeilings(lines: ReadonlyMap<string, number>, ceilings: Readonly<Record<string, number>>) {
  return [...lines].flatMap(([name, count]) => {
    const ceiling = ceilings[name];
    if (ceiling === undefined) return [`${name} has no ceiling: add it to scripts/line-ceilings.json.`];
    if (count <= ceiling) return [];
    return [`${name} has ${count} lines, at most ${ceiling}: remove ${count - ceiling} (scripts/line-ceilings.json).`];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const paths = listFiles('.', ...patterns);
  const packages = countLines(new Map(paths.map((path) => [path, readFileSync(path, 'utf8')])));
  const ceilings = JSON.parse(readFileSync('scripts/line-ceilings.json', 'utf8')) as Record<string, number>;
  const row = (cells: readonly unknown[]) => console.log(cells.map((cell) => String(cell).padStart(11)).join(''));
  row(['package', ...parts, 'lines', 'ceiling', 'characters']);
  const totals = new Map<string, number>();
  for (const [name, sizes] of packages) {
    const sum = (key: keyof Size) => parts.reduce((all, part) => all + sizes[part][key], 0);
    totals.set(name, sum('lines'));
    row([name, ...parts.map((part) => sizes[part].lines), sum('lines'), ceilings[name] ?? '-', sum('characters')]);
  }
  const all = [...totals.values()].reduce((sum, lines) => sum + lines, 0);
  console.log(`${all} lines`);
  const excess = findExceededCeilings(totals, ceilings);
  for (const line of excess) console.error(line);
  process.exitCode = excess.length === 0 ? 0 : 1;
}
