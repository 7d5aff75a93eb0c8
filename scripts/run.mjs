// Runs any command of this repository on a machine that only has npm and Node.js 18 or later: `node scripts/run.mjs
// <command> [arguments]`. Therefore it is plain JavaScript for Node.js 18 without dependencies.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as modules from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findMissingHeapFlags } from '../server/src/process/heap-flags.mjs';
import { setUpCheckout } from './set-up.mjs';
import { SetUpError } from './set-up-step.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Most commands run in the root, because their settings contain paths relative to it; those that take files run in the
 * user's directory. `extent` is what must be installed; by default everything except the browser and the documentation
 * tools. The second word of `lab` and `example` is part of the name; `example` also accepts a program's path.
 *
 * @type {Record<string, { file: string, args?: string[], cwd: 'root' | 'folder of the caller', extent?:
 * import('./set-up.mjs').Extent }>}
 */
const commands = {
  start: { file: 'server/src/main.ts', cwd: 'root', extent: 'server' },
  operator: { file: 'server/src/operator/main.ts', cwd: 'root', extent: 'server' },
  agentp: { file: 'cli/src/main.ts', cwd: 'folder of the caller', extent: 'programs' },
  conformance: { file: 'conformance/src/main.ts', cwd: 'folder of the caller', extent: 'programs' },
  bench: { file: 'bench/src/main.ts', cwd: 'root' },
  test: { file: 'scripts/test.ts', cwd: 'root', extent: 'all' },
  check: { file: 'scripts/check.ts', cwd: 'root', extent: 'all' },
  lines: { file: 'scripts/count-lines.ts', cwd: 'root' },
  words: { file: 'scripts/check-words.ts', cwd: 'root' },
  docs: { file: 'site/main.ts', cwd: 'root', extent: 'all' },
  generate: { file: 'scripts/generate.ts', cwd: 'root' },
  pack: { file: 'scripts/pack.ts', cwd: 'root' },
  release: { file: 'scripts/release.ts', cwd: 'root' },
  'example demo': { file: 'examples/src/demo.ts', cwd: 'root', extent: 'programs' },
  'example dashboard': { file: 'examples/dashboard/main.ts', cwd: 'folder of the caller', extent: 'programs' },
  'example echo-agent': { file: 'examples/echo-agent/main.ts', cwd: 'folder of the caller', extent: 'programs' },
  'example thumbnail-contractor': {
    file: 'examples/thumbnail-contractor/main.ts',
    cwd: 'folder of the caller',
    extent: 'programs',
  },
  'example customer': { file: 'examples/customer/main.ts', cwd: 'folder of the caller', extent: 'programs' },
  'example llm-agent': { file: 'examples/llm-agent/main.ts', cwd: 'folder of the caller', extent: 'programs' },
  'lab busy': { file: 'scripts/lab/busy.ts', cwd: 'root' },
  'lab chaos': { file: 'server/testing/chaos/main.ts', cwd: 'root' },
  'lab container': { file: 'server/testing/deploy/main.ts', cwd: 'root' },
  'lab evals': { file: 'cli/testing/evals/main.ts', cwd: 'root' },
  'lab first-minute': { file: 'scripts/lab/first-minute.ts', cwd: 'root' },
  'lab foreign-traffic': { file: 'conformance/testing/whole-runs.ts', args: ['--foreign'], cwd: 'root' },
  'lab frameworks': { file: 'scripts/lab/frameworks.ts', cwd: 'root' },
  'lab inspect-docs': { file: 'browser/scripts/inspect-docs.ts', cwd: 'root', extent: 'all' },
  'lab install-lines': { file: 'scripts/lab/install-lines.ts', cwd: 'root' },
  'lab kill-matrix': { file: 'conformance/testing/kill-matrix.ts', cwd: 'root' },
  'lab results': { file: 'conformance/testing/results/main.ts', cwd: 'root' },
  'lab rolling-restart': { file: 'server/testing/rolling-restart/main.ts', cwd: 'root' },
  'lab tests': { file: 'scripts/lab/tests.ts', cwd: 'root', extent: 'all' },
  'lab runtimes': { file: 'scripts/runtimes.ts', cwd: 'root' },
  'lab sbom': { file: 'scripts/sbom.ts', cwd: 'root' },
  'lab screenshots': { file: 'browser/scripts/screenshots.ts', cwd: 'root', extent: 'all' },
  'lab slow-server': {
    file: 'conformance/testing/whole-runs.ts',
    args: ['--delay', '1', '--event-delay', '1'],
    cwd: 'root',
  },
  'lab start-page': { file: 'scripts/lab/start-page.ts', cwd: 'root' },
  'lab terminal': { file: 'scripts/lab/terminal.ts', cwd: 'root' },
};

/**
 * @param {string} name
 * @param {string[]} args
 */
async function main(name, args) {
  const [fullName, rest] =
    name === 'lab' || name === 'example' ? [`${name} ${args[0] ?? ''}`.trim(), args.slice(1)] : [name, args];
  const place = process.env['INIT_CWD'] ?? '.';
  const command = Object.hasOwn(commands, fullName) ? commands[fullName] : findProgram(name, args[0] ?? '', place);
  if (command === undefined) {
    throw new SetUpError(`There is no command "${fullName}".`, `There are: ${Object.keys(commands).join(', ')}.`);
  }
  endWithParent();
  const tools = await setUpCheckout(
    root,
    say,
    command.extent === 'server' && needsOptional() ? 'core' : command.extent,
  );
  const flags = name === 'start' ? findMissingHeapFlags() : [];
  if (tools.node !== process.execPath || flags.length > 0) return runInChild(tools.node, flags, [name, ...args]);
  const file = resolve(root, command.file);
  process.chdir(command.cwd === 'root' ? root : place);
  process.argv = [process.execPath, file, ...(command.args ?? []), ...rest];
  keepCompiledCode();
  hideExpectedWarnings();
  await import(pathToFileURL(file).href);
}

/** The server needs optional packages if its settings name a bucket or a collector. */
function needsOptional() {
  const { PLATFORM_STORAGE_URL: storage = '', ...others } = process.env;
  return storage.startsWith('s3:') || Object.keys(others).some((name) => /^OTEL_EXPORTER_OTLP_.*ENDPOINT$/.test(name));
}

/**
 * Runs a user's program as an example.
 *
 * @param {string} name
 * @param {string} path
 * @param {string} place
 * @returns {{ file: string, args?: undefined, cwd: 'folder of the caller', extent?: import('./set-up.mjs').Extent } | undefined}
 */
function findProgram(name, path, place) {
  const file = resolve(place, path);
  return name === 'example' && path !== '' && existsSync(file)
    ? { file, cwd: 'folder of the caller', extent: 'programs' }
    : undefined;
}

/** From the second start on, programs and their children start in two thirds of the time. */
function keepCompiledCode() {
  const folder = join(root, '.runtime', 'compiled');
  modules.enableCompileCache(folder);
  process.env['NODE_COMPILE_CACHE'] ??= folder;
}

/** @param {string} line */
function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Runs this file again with the downloaded Node.js or with other flags.
 *
 * @param {string} node
 * @param {string[]} flags
 * @param {string[]} args
 */
function runInChild(node, flags, args) {
  // The child detects that this process was killed when the IPC channel closes.
  const child = spawn(node, [...flags, fileURLToPath(import.meta.url), ...args], {
    env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env['PATH'] ?? ''}` },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) {
    process.on(signal, () => {
      // A terminal also sends Ctrl+C to the child, which must receive the signal only once.
      const isFromTerminal = signal === 'SIGINT' && process.stdin.isTTY;
      if (!isFromTerminal) child.kill(signal);
    });
  }
  // Without a listener the signal would open this process's debugger to other processes of the user.
  process.on('SIGUSR1', () => undefined);
  child.once('error', (error) => {
    throw error;
  });
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    // Ends by the same signal, so that the parent process knows which signal ended the command.
    for (const name of signals) process.removeAllListeners(name);
    process.kill(process.pid, signal);
  });
}

// The scripts in package.json use `exec`, so that npm is the parent of this process and signals it without a shell.
const parent = process.ppid;
const parentCheckMs = 500;

/** Stops with SIGTERM if the process that waits for this one (npm or the launcher) was killed. */
function endWithParent() {
  const end = () => process.kill(process.pid, 'SIGTERM');
  if (process.channel !== undefined && process.channel !== null) {
    process.once('disconnect', end);
    // The channel must not keep the process alive.
    process.channel.unref();
  } else if (process.env['npm_lifecycle_event'] !== undefined) {
    const check = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(check);
      end();
    }, parentCheckMs);
    check.unref();
  }
}

// Node.js 22 and early versions of 24 warn that TypeScript and SQLite are experimental. The workspace is tested with
// both, and users cannot change this.
const expectedWarning = /^(Type Stripping|SQLite) is an experimental feature/;

function hideExpectedWarnings() {
  const printers = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning' && expectedWarning.test(warning.message)) return;
    for (const print of printers) print(warning);
  });
}

try {
  await main(process.argv[2] ?? '', process.argv.slice(3));
} catch (error) {
  if (!(error instanceof SetUpError)) throw error;
  say(`${error.message}\n${error.hint}`);
  process.exitCode = 1;
}
