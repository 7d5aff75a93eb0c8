import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A forbidden word where it stands. `line` is 0 for the name of a file. */
export interface WordFault {
  readonly line: number;
  readonly word: string;
}

// Words that say too little in a name, with their inflections, and the standard term for each.
const forbidden: readonly (readonly [forms: string, instead: string])[] = [
  ['look looks looked looking', 'observe, inspect, read, find, appear'],
  ['wear wears wearing wore worn', 'usage'],
  ['parting partings', 'blocked pair, end of a contact'],
  ['twin twins', 'concurrent duplicate'],
  ['beat beats beating beaten', 'tick'],
  ['keeper keepers', 'lease manager'],
  ['cure cures cured curing', 'hint'],
  ['mend mends mended mending', 'fix, repair'],
  ['turnstile turnstiles', 'semaphore'],
  ['recollection recollections', 'recent cache'],
  ['books', 'ledger, ledger check'],
  ['walk walks walked walking', 'traverse, lifecycle, scan'],
];

const insteadOf = new Map(forbidden.flatMap(([forms, instead]) => forms.split(' ').map((form) => [form, instead])));

/** Files that keep some of the words, each for its reason. */
const exceptions: readonly (readonly [path: RegExp, words: string, reason: string])[] = [
  [/^scripts\/check-words(\.test)?\.ts$/, 'all', 'lists the words'],
  [/^cli\/(src\/output\/former-names\.ts|docs\/output\.md)$/, 'cure', 'the former name of a member of the JSON output'],
  [/^server\/src\/operator\/doctor\.ts$/, 'cure', 'the former name of a member of the JSON output'],
  [/^conformance\/src\/context\/pool\/pool(\.test)?\.ts$/, 'wear', 'a member of pool files that suite 0.1 wrote'],
  [/^conformance\/report\.schema\.json$/, 'looks wear', 'members of the report, which programs read'],
  [/^conformance\/src\/reports\/reports\.test\.ts$/, 'looks wear', 'reads a report of suite 0.1'],
  [
    /^conformance\/(src\/checks\/transport\/refusal-observations|testing\/mutants\/variants)\.ts$/,
    'look',
    'the id of an observation, which reports and baselines name',
  ],
  [/^CHANGELOG\.md$/, 'beat cure cures look looks wear', 'names what was renamed'],
  [/^server\/src\/store\/migrations\//, 'all', 'migrations are frozen once they have landed'],
  [/^pnpm-lock\.yaml$/, 'all', 'names packages of others'],
  [/^LICENSE$/, 'all', 'the text of a licence'],
];

function isException(path: string, word: string): boolean {
  return exceptions.some(([file, words]) => file.test(path) && (words === 'all' || words.split(' ').includes(word)));
}

/** Finds the forbidden words of a text: identifiers, strings, comments and prose alike, parts of names included. */
export function findForbiddenWords(text: string): readonly WordFault[] {
  return text.split('\n').flatMap((line, index) => wordsOf(line).map((word) => ({ line: index + 1, word })));
}

/** Finds the forbidden words of a file's name and of the folders above it. */
export function findForbiddenNames(path: string): readonly WordFault[] {
  return wordsOf(path).map((word) => ({ line: 0, word }));
}

function wordsOf(text: string): readonly string[] {
  const parts = text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  return parts.map((part) => part.toLowerCase()).filter((part) => insteadOf.has(part));
}

function checkRepository(root: URL): number {
  const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\0')
    .filter((path) => path !== '' && existsSync(new URL(path, root)));
  let faults = 0;
  for (const path of tracked) {
    const bytes = readFileSync(new URL(path, root));
    const isText = !bytes.subarray(0, 8000).includes(0);
    const faultsOfFile = [...findForbiddenNames(path), ...(isText ? findForbiddenWords(bytes.toString('utf8')) : [])];
    const found = faultsOfFile.filter(({ word }) => !isException(path, word));
    for (const { line, word } of found) {
      console.error(`${path}:${line}: "${word}": ${insteadOf.get(word)}`);
    }
    faults += found.length;
  }
  return faults;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = checkRepository(new URL('..', import.meta.url));
  if (faults > 0) console.error(`${faults} words to replace, in names or in text`);
  process.exitCode = faults === 0 ? 0 : 1;
}
