import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installNode, runStartPage } from './lab-start-page.ts';
import { environment, root } from './published-packages.ts';

// `npm run lab -- <run>`: what `npm test` has no time for, and conditions of the machine under which faults were found.

const usage = `busy [minutes] [command …]   loads the machine for 60 minutes, or while a command runs
start-page [versions …]      follows docs/start.md in a fresh clone, with Node.js 18 to 26
terminal [versions …]        types the answers of a person to agentp, with Node.js 22 to 26
`;

const runs: Readonly<Record<string, (words: readonly string[]) => Promise<number>>> = {
  busy: loadMachine,
  'start-page': runStartPage,
  terminal: runTerminalTests,
};

const [name = '', ...words] = process.argv.slice(2);
const run = runs[name];
if (run === undefined) process.stderr.write(usage);
process.exitCode = run === undefined ? 2 : await run(words);

/** Takes most of the processors: two processes compute without a pause, and four shells start Node.js in a loop. */
async function loadMachine([first = '', ...rest]: readonly string[]): Promise<number> {
  const hasMinutes = /^\d+$/.test(first);
  const minutes = hasMinutes ? Number(first) : 60;
  const [program, ...args] = hasMinutes ? rest : [first, ...rest].filter((word) => word !== '');
  // They end by themselves when this process ends in a manner that cannot be handled.
  const compute = `for (;;) { for (let i = 0; i < 1e8; i += 1); process.kill(${process.pid}, 0); }`;
  const startInLoop = `while kill -0 ${process.pid}; do "$0" -e 0; done`;
  const load = [
    ...Array.from({ length: 2 }, () => spawn(process.execPath, ['-e', compute], { stdio: 'ignore' })),
    ...Array.from({ length: 4 }, () => spawn('sh', ['-c', startInLoop, process.execPath], { stdio: 'ignore' })),
  ];
  console.error(`Two processes compute and four shells start Node.js in a loop, for ${minutes} minutes at most.`);
  const limit = AbortSignal.timeout(minutes * 60_000);
  const interrupted = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => once(process, signal));
  const ending = [once(limit, 'abort').then(() => 0), Promise.race(interrupted).then(() => 130)];
  const command = program === undefined ? undefined : spawn(program, args, { stdio: 'inherit' });
  if (command !== undefined) ending.push(once(command, 'close').then(([code]) => Number(code ?? 1)));
  const code = await Promise.race(ending);
  await Promise.all([...load, ...(command === undefined ? [] : [command])].map(end));
  return code;
}

/** Runs the tests of `agentp` on a terminal, where it is started by other versions of Node.js. */
async function runTerminalTests(versions: readonly string[]): Promise<number> {
  const codes: number[] = [];
  for (const version of versions.length === 0 ? ['22', '24', '26'] : versions) {
    const folder = mkdtempSync(join(tmpdir(), 'agent-platform-terminal-'));
    const env = { ...environment, AGENTP_NODE: await installNode(folder, version) };
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', 'cli/src/terminal.test.ts'];
    const tests = spawn(process.execPath, vitest, { cwd: root, env, stdio: 'inherit' });
    codes.push(Number((await once(tests, 'close'))[0] ?? 1));
    console.log(`agentp with Node.js ${version}: ${codes.at(-1) === 0 ? 'every test passed' : 'failed'}`);
    rmSync(folder, { recursive: true, force: true });
  }
  return Math.max(...codes);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}
