import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTests, type TestCounts } from './tally.ts';
import { recordDurations } from './test-durations.ts';

/** A program that must exit with 0. */
export interface CheckStep {
  readonly name: string;
  readonly program: string;
  readonly args?: readonly string[];
}

const require = createRequire(import.meta.url);
const vitest = join(require.resolve('vitest/package.json'), '../vitest.mjs');

// Outside a terminal, vitest and biome would print colour codes, which make a log hard to read.
const isTerminal = process.stdout.isTTY === true;
const colors = isTerminal ? [] : ['--colors=off'];

/** These steps only read the sources. */
export const quickSteps: readonly CheckStep[] = [
  {
    name: 'format and lint',
    program: require.resolve('@biomejs/biome/bin/biome'),
    args: ['ci', '--error-on-warnings', ...colors, '.'],
  },
  // Several checkers would each check the shared types again, which doubles the processor time.
  { name: 'types', program: join('node_modules', 'typescript', 'bin', 'tsc'), args: ['-p', '.', '--checkers', '1'] },
  {
    name: 'types of scripts in pages',
    program: join('node_modules', 'typescript', 'bin', 'tsc'),
    args: ['-p', 'browser/src/in-page'],
  },
  { name: 'imports', program: 'scripts/check-imports.ts' },
  {
    name: 'unused exports and dependencies',
    program: 'scripts/node_modules/knip/bin/knip.js',
    args: ['--no-progress'],
  },
  { name: 'names', program: 'scripts/check-export-names.ts' },
  { name: 'words', program: 'scripts/check-words.ts' },
  { name: 'lines', program: 'scripts/count-lines.ts' },
  { name: 'generated files are up to date', program: 'scripts/generate.ts', args: ['--check'] },
];

const children = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const child of children) child.kill(signal);
    process.exit(128 + constants.signals[signal]);
  });
}

/** Runs all steps even if one fails. Returns which of them passed. */
export async function runSequentially(steps: readonly CheckStep[]): Promise<boolean[]> {
  const outcomes: boolean[] = [];
  for (const step of steps) outcomes.push(await runStep(step));
  return outcomes;
}

async function runStep({ name, program, args = [] }: CheckStep): Promise<boolean> {
  const started = performance.now();
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const passed = (await ended(child)) === 0;
  console.log(`${passed ? '✓' : '✗'} ${name} (${seconds(started)})`);
  if (!passed) console.log(output.trimEnd());
  return passed;
}

/** Also records how long each test file took. */
export async function runVitest(args: readonly string[]): Promise<TestCounts> {
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'agent-platform-tests-'));
  // Removes the folder even if a signal ends this process.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'report.json');
  const flags = ['run', '--allowOnly=false', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  if (!isTerminal) flags.push('--no-color');
  const child = spawn(process.execPath, [vitest, ...flags, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  const code = await ended(child);
  const tally = countTests(() => readFileSync(file, 'utf8'), code);
  recordDurations(file);
  console.log(`${tally.failed === 0 ? '✓' : '✗'} tests (${seconds(started)})`);
  return tally;
}

async function ended(child: ChildProcess): Promise<number> {
  children.add(child);
  return new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.once('close', (code) => {
      children.delete(child);
      resolve(code ?? 1);
    });
  });
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
