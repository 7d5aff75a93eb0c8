import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listFiles } from './list-files.ts';
import { gradeOf, proseOf, sentencesOf } from './readability.ts';

// `npm run words` counts phrases that hide the subject or the verb of a sentence, in documents and in
// the sources without their tests. It fails when a count rises above word-counts.json; `--write` stores
// lower counts, and `--pages` prints how long the sentences of each page are.

const baselineFile = 'scripts/word-counts.json';

/** The counted phrases; each also counts as a whole name in code. */
export const phrases = [
  'all that',
  'alone',
  'as well',
  'at once',
  'for ever',
  'further',
  'held',
  'is content with',
  'is owed',
  'lets in',
  'meanwhile',
  'nobody',
  'of its own',
  'of their own',
  'taken back',
  'told',
  'whoever',
] as const;

const patterns = new Map(
  phrases.map((phrase) => {
    const form = phrase === 'lets in' ? 'lets?( \\w+)? in(?!to)' : phrase.replaceAll(' ', '\\s+(?:[*/]+\\s+)?');
    return [phrase, new RegExp(`(?<![\\p{L}\\d_-])${form}(?![\\p{L}\\d_-])`, 'giu')];
  }),
);

const isCounted = (path: string) =>
  !/\.test\.ts$|^(results|docs\/specification|site\/src\/content)\/|^CHANGELOG\.md$|^scripts\/check-words\.ts$/.test(
    path,
  );

/** Counts each phrase in a text. */
export function countPhrases(text: string): ReadonlyMap<string, number> {
  return new Map([...patterns].map(([phrase, pattern]) => [phrase, text.match(pattern)?.length ?? 0]));
}

/** The counts above the baseline, as sentences. */
export function findIncreases(counts: ReadonlyMap<string, number>, baseline: Readonly<Record<string, number>>) {
  return [...counts].flatMap(([phrase, count]) => {
    const most = baseline[phrase] ?? 0;
    return count <= most ? [] : [`"${phrase}" occurs ${count} times, at most ${most}: name the subject or the verb.`];
  });
}

function printPages(paths: readonly string[]): void {
  for (const path of paths) {
    const sentences = sentencesOf(proseOf(readFileSync(path, 'utf8')));
    if (sentences.length === 0) continue;
    const { wordsPerSentence, grade } = gradeOf(sentences);
    console.log(`${wordsPerSentence.toFixed(1).padStart(6)} words a sentence, grade ${grade.toFixed(1)}: ${path}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const paths = listFiles('.', '*.ts', '*.mjs', '*.md').filter(isCounted);
  if (process.argv.includes('--pages')) printPages(paths.filter((path) => path.endsWith('.md')));
  const counts = countPhrases(paths.map((path) => readFileSync(path, 'utf8')).join('\n'));
  const increases = findIncreases(counts, JSON.parse(readFileSync(baselineFile, 'utf8')));
  for (const increase of increases) console.error(`${increase} "git grep -niw" finds the places.`);
  if (process.argv.includes('--write') && increases.length === 0)
    writeFileSync(baselineFile, `${JSON.stringify(Object.fromEntries(counts), null, 2)}\n`);
  process.exitCode = increases.length === 0 ? 0 : 1;
}
