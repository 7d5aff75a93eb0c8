import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listFiles } from './list-files.ts';

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
  [/^results\//, 'look looks walks', 'published reports, with names of requests and of checks such as walks.orders'],
  [
    /^conformance\/(src\/areas\/all-observations|testing\/mutants\/variants)\.ts$/,
    'look',
    'the id of an observation, which reports and baselines name',
  ],
  [
    /^(conformance|docs\/(decisions|reference\/conformance))[/.]/,
    'walk walked walks',
    'random walks, the term for random commands against a model',
  ],
  [/^server\/src\/store\/migrate\.test\.ts$/, 'walk', 'the name of a former migration'],
  [/(^pnpm-lock\.yaml|\/package-lock\.json)$/, 'all', 'names packages of others'],
  [/^LICENSE$/, 'all', 'the text of a licence'],
];

function isException(path: string, word: string): boolean {
  return exceptions.some(([file, words]) => file.test(path) && (words === 'all' || words.split(' ').includes(word)));
}

/** Finds the forbidden words of a text: identifiers, strings, comments and prose alike, parts of names included. */
export function findForbiddenWords(text: string) {
  return text.split('\n').flatMap((line, index) => wordsOf(line).map((word) => ({ line: index + 1, word })));
}

/** Finds the forbidden words of a file's name and of the folders above it, as on line 0. */
export function findForbiddenNames(path: string) {
  return wordsOf(path).map((word) => ({ line: 0, word }));
}

function wordsOf(text: string): readonly string[] {
  const parts = text.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  return parts.map((part) => part.toLowerCase()).filter((part) => insteadOf.has(part));
}

function checkFile(path: string): readonly string[] {
  const bytes = readFileSync(path);
  const isText = !bytes.subarray(0, 8000).includes(0);
  const faults = [...findForbiddenNames(path), ...(isText ? findForbiddenWords(bytes.toString('utf8')) : [])];
  return faults
    .filter(({ word }) => !isException(path, word))
    .map(({ line, word }) => `${path}:${line}: "${word}": ${insteadOf.get(word)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = listFiles('.').flatMap(checkFile);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) console.error(`${faults.length} words to replace, in names or in text`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
