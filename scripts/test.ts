import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTally, type Tally } from './tally.ts';

// `npm test`: everything that must hold before a change lands. Without
// arguments all of it; arguments are handed to vitest, which then runs alone
// (`npm test -- sdk`, `npm test -- server/src/store -t migrations`).

interface Step {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
}

const require = createRequire(import.meta.url);
const vitest = join(require.resolve('vitest/package.json'), '../vitest.mjs');

// A log of a machine reads better without colours; vitest and biome would put
// them in even there.
const isTerminal = process.stdout.isTTY === true;
const colors = isTerminal ? [] : ['--colors=off'];

const quickSteps: readonly Step[] = [
  {
    name: 'format, lint and import rules',
    program: biomeProgram(),
    args: ['ci', '--error-on-warnings', ...colors, '.'],
  },
  { name: 'types', program: typescriptProgram(), args: ['-p', '.'] },
  { name: 'generated files are up to date', program: 'scripts/generate.ts', args: ['--check'] },
];
const packageStep: Step = {
  name: 'packages build, pack and install',
  program: 'scripts/check-packages.ts',
  args: [],
};

const children = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const child of children) child.kill(signal);
    process.exit(128 + constants.signals[signal]);
  });
}

const chosen = process.argv.slice(2);
const total = chosen.length > 0 ? await runVitest(chosen) : await runEverything();
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);

async function runEverything(): Promise<Tally> {
  // The packages keep one processor busy and the rest the other; vitest then
  // has both, as its tests watch the time.
  const lanes = [quickSteps, [packageStep]];
  console.log(
    `Checking: ${lanes
      .flat()
      .map((step) => step.name)
      .join('; ')} …`,
  );
  const outcomes = (await Promise.all(lanes.map(runInTurn))).flat();
  const tests = await runVitest([]);
  const stepsPassed = outcomes.filter((passed) => passed).length;
  return { passed: tests.passed + stepsPassed, failed: tests.failed + outcomes.length - stepsPassed };
}

async function runInTurn(steps: readonly Step[]): Promise<boolean[]> {
  const outcomes: boolean[] = [];
  for (const step of steps) outcomes.push(await runStep(step));
  return outcomes;
}

async function runStep({ name, program, args }: Step): Promise<boolean> {
  const started = performance.now();
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const passed = (await ended(child)) === 0;
  console.log(`${passed ? '✓' : '✗'} ${name} (${seconds(started)})`);
  if (!passed) console.log(output.trimEnd());
  return passed;
}

async function runVitest(args: readonly string[]): Promise<Tally> {
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'agent-platform-tests-'));
  // Also when a signal ends us.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'report.json');
  const flags = ['run', '--allowOnly=false', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  if (!isTerminal) flags.push('--no-color');
  const child = spawn(process.execPath, [vitest, ...flags, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
  const code = await ended(child);
  const tally = readTally(() => readFileSync(file, 'utf8'), code);
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

function biomeProgram(): string {
  return require.resolve('@biomejs/biome/bin/biome');
}

function typescriptProgram(): string {
  return join('node_modules', 'typescript', 'bin', 'tsc');
}
