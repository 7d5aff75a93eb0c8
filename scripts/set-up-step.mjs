// Plain JavaScript for Node.js 18.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter } from 'node:path';

/** A failed step of the set-up, with a hint for the user. */
export class SetUpError extends Error {
  /**
   * @param {string} message
   * @param {string} hint
   * @param {string} [said] The program's last output on stderr.
   */
  constructor(message, hint, said = '') {
    super(message);
    this.hint = hint;
    this.said = said;
  }
}

const saidMaxLength = 16_384;

/**
 * @typedef {object} Step
 * @property {string} root
 * @property {(line: string) => void} say
 * @property {(child: number) => void} onChild
 * @property {string} what
 * @property {string} hint
 * @property {string} [path] A folder to be first on the PATH.
 * @property {{ command: string, args: string[] }} npm Used to query the registry when the program takes a long time.
 * @property {boolean} needsRegistry Whether the program needs the registry; pnpm may find everything in its store.
 */

const askRegistryAfterMs = 10_000;
const registryAnswersWithinMs = 10_000;
const networkFault = /\bnetwork\b|E(TIMEDOUT|CONNREFUSED|CONNRESET|NOTFOUND|AI_AGAIN)/;

/**
 * Whether npm reaches its registry with its configured proxy and registry address. Any response counts.
 *
 * @param {Step} step
 * @returns {Promise<boolean>}
 */
function reachesRegistry({ npm, root, path }) {
  const args = [...npm.args, 'ping', `--fetch-timeout=${registryAnswersWithinMs}`, '--fetch-retries=0'];
  const child = spawn(npm.command, args, {
    cwd: root,
    env: stepEnvironment(path),
    stdio: ['ignore', 'ignore', 'pipe'],
    shell: npm.command.endsWith('.cmd'),
  });
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(true));
    child.once('close', () => resolve(!networkFault.test(said)));
  });
}

/**
 * The program's output goes to stderr, because stdout is reserved for the command that the user called.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {Step} step
 */
export function runStep(command, args, step) {
  const started = Date.now();
  const child = spawn(command, args, {
    cwd: step.root,
    env: stepEnvironment(step.path),
    stdio: ['ignore', 2, 'pipe'],
    shell: command.endsWith('.cmd'),
  });
  let said = '';
  child.stderr?.on('data', (chunk) => {
    process.stderr.write(chunk);
    said = `${said}${chunk}`.slice(-saidMaxLength);
  });
  if (child.pid !== undefined) step.onChild(child.pid);
  const seconds = () => Math.round((Date.now() - started) / 1000);
  const progress = setInterval(() => step.say(`… still running after ${seconds()} s`), 15_000);
  let isUnreachable = false;
  // Checks the registry after a while, because npm and pnpm wait for minutes if the registry does not answer.
  const asking = setTimeout(async () => {
    isUnreachable = !(await reachesRegistry(step));
    if (!isUnreachable) return;
    // SIGKILL, because npm ignores other signals while it waits for the registry.
    if (step.needsRegistry) child.kill('SIGKILL');
    else if (child.exitCode === null) step.say(`${unreachable} ${registryHint}`);
  }, askRegistryAfterMs);
  /** @type {NodeJS.Signals[]} */
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  /** @param {NodeJS.Signals} signal */
  const stop = (signal) => {
    child.kill(signal);
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of signals) process.once(signal, stop);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new SetUpError(`${step.what} failed: ${error.message}`, step.hint)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve(undefined);
      else if (isUnreachable) reject(new SetUpError(unreachable, registryHint));
      else reject(new SetUpError(`${step.what} failed (${signal ?? `exit code ${code}`}).`, step.hint, said));
    });
  }).finally(() => {
    clearInterval(progress);
    clearTimeout(asking);
    for (const signal of signals) process.removeListener(signal, stop);
  });
}

const unreachable = 'The package registry does not answer.';
const registryHint =
  'Check the network. Behind a proxy set HTTPS_PROXY; for another registry run "npm config set registry URL". Then run the command again: it continues where it stopped.';

// Variables that npm sets for its running command (loglevel, prefix, script). An npm or pnpm that is started here would
// use them as settings.
const ofTheOuterNpm =
  /^(npm_(package|lifecycle)_.*|npm_(command|execpath|node_execpath)|npm_config_(loglevel|silent|json|global|prefix|local_prefix|global_prefix|workspaces?|omit|production|dry_run)|NODE_ENV)$/i;

/**
 * The environment for a program that must ignore the settings of the npm that started this process.
 *
 * @param {string} [path] A folder to be first on the PATH.
 */
export function stepEnvironment(path) {
  const entries = Object.entries(process.env).filter(([name]) => !ofTheOuterNpm.test(name));
  /** @type {NodeJS.ProcessEnv} */
  const environment = Object.fromEntries(entries);
  if (path !== undefined) environment['PATH'] = `${path}${delimiter}${process.env['PATH'] ?? ''}`;
  return environment;
}
