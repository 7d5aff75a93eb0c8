import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inheritedEnvironment } from '@agent-platform/testing';

/** The program as it is started in development. */
export const mainFile = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** A command in a process of its own. */
export interface Child {
  /** What it has written so far. */
  readonly written: { stdout: string; stderr: string };
  /** Resolves when it has ended, with its exit code or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Types on a keyboard that stays open. */
  type(text: string): void;
  kill(signal: NodeJS.Signals): void;
}

/** What a test sets of the process. */
export interface ChildOptions {
  readonly env: Readonly<Record<string, string>>;
  /** What is on stdin; undefined leaves it open for `type`. */
  readonly stdin: string | undefined;
  /** Another program than `agentp`, such as a shell that runs it. */
  readonly program?: string;
}

/** Starts `agentp` with these words, or another program, with pipes on all sides. */
export function startChild(words: readonly string[], options: ChildOptions): Child {
  const [file, args] =
    options.program === undefined ? [process.execPath, [mainFile, ...words]] : [options.program, [...words]];
  const child = spawn(file, args, { env: { ...inheritedEnvironment(), ...options.env }, timeout: 15_000 });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text;
  });
  // A child that ends before it has read everything is no fault of the test.
  child.stdin.on('error', () => undefined);
  if (options.stdin !== undefined) child.stdin.end(options.stdin);
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
  });
  return { written, ended, type: (text) => child.stdin.write(text), kill: (signal) => child.kill(signal) };
}
