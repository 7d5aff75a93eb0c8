import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listFiles } from './list-files.ts';
import { computeGrade, extractProse, splitSentences } from './readability.ts';

// `npm run words` counts phrases that hide the subject or verb of a sentence, in documents and in sources except tests.
// word-counts.json contains each phrase with its maximum count: a higher count fails, and `--write` stores lower
// counts. `--pages` prints the sentence lengths of each page.

const baselineFile = new URL('word-counts.json', import.meta.url);
const baseline = JSON.parse(readFileSync(baselineFile, 'utf8')) as Readonly<Record<string, number>>;

const patterns = new Map(
  Object.keys(baseline).map((phrase) => {
    const form = phrase === 'lets in' ? 'lets?( \\w+)? in(?!to)' : phrase.replaceAll(' ', '\\s+(?:[*/]+\\s+)?');
    return [phrase, new RegExp(`(?<![\\p{L}\\d_-])${form}(?![\\p{L}\\d_-])`, 'giu')];
  }),
);

const isCounted = (path: string) =>
  !/\.test\.ts$|^(results|docs\/specification|site\/src\/content)\/|^CHANGELOG\.md$|^scripts\/check-words\.ts$/.test(
    path,
  );

export function countPhrases(text: string): ReadonlyMap<string, number> {
  return new Map([...patterns].map(([phrase, pattern]) => [phrase, text.match(pattern)?.length ?? 0]));
}

export function findPhraseIncreases(counts: ReadonlyMap<string, number>, most: Readonly<Record<string, number>>) {
  return [...counts].flatMap(([phrase, count]) => {
    const max = most[phrase] ?? 0;
    return count <= max ? [] : [`"${phrase}" occurs ${count} times, at most ${max}: name the subject or the verb.`];
  });
}

function printPages(paths: readonly string[]): void {
  for (const path of paths) {
    const sentences = splitSentences(extractProse(readFileSync(path, 'utf8')));
    if (sentences.length === 0) continue;
    const { wordsPerSentence, grade } = computeGrade(sentences);
    console.log(`${wordsPerSentence.toFixed(1).padStart(6)} words a sentence, grade ${grade.toFixed(1)}: ${path}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const paths = listFiles('.', '*.ts', '*.mjs', '*.md').filter(isCounted);
  if (process.argv.includes('--pages')) printPages(paths.filter((path) => path.endsWith('.md')));
  const counts = countPhrases(paths.map((path) => readFileSync(path, 'utf8')).join('\n'));
  const increases = findPhraseIncreases(counts, baseline);
  for (const increase of increases) console.error(`${increase} "git grep -niw" finds the places.`);
  if (process.argv.includes('--write') && increases.length === 0)
    writeFileSync(baselineFile, `${JSON.stringify(Object.fromEntries(counts), null, 2)}\n`);
  process.exitCode = increases.length === 0 ? 0 : 1;
}
