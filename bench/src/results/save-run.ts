import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Report } from '../report.ts';
import { formatResultsPage } from './print-results.ts';
import { readSavedRuns, resultsFolder, type SavedRun } from './saved-run.ts';

const root = new URL('../../../', import.meta.url);
const digits = 4;

/** The function that generates each document, by path in the repository. */
export const generatedDocuments: Readonly<Record<string, () => string>> = {
  'docs/reference/benchmarks.md': () => formatResultsPage(readSavedRuns()),
};

/** Also regenerates the documents; returns the paths of the written files. */
export function saveRun(report: Report): readonly string[] {
  const date = new Date().toISOString().slice(0, 16);
  const commit = execFileSync('git', ['describe', '--always', '--dirty', '--exclude=*'], {
    cwd: fileURLToPath(root),
    encoding: 'utf8',
  }).trim();
  const run: SavedRun = { date, commit, ...report };
  const name = `${date.replaceAll(/[-:]/g, '')}-${commit}.json`;
  mkdirSync(resultsFolder, { recursive: true });
  const shortened = (_key: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(digits)) : value;
  writeFileSync(new URL(name, resultsFolder), `${JSON.stringify(run, shortened, 1)}\n`);
  for (const [path, print] of Object.entries(generatedDocuments)) writeFileSync(new URL(path, root), print());
  return [`bench/results/${name}`, ...Object.keys(generatedDocuments)];
}
