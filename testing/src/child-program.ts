import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { inheritedEnvironment } from './inherited-environment.ts';

/** A program in a separate process, with pipes for all its streams. */
export type ChildProgram = ReturnType<typeof startProgram>;

interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The whole content of stdin; undefined leaves stdin open for `type`. */
  readonly stdin?: string | undefined;
}

/** A program that hangs is ended after this time, before the test that waits for it times out. */
const programTimeoutMs = 600_000;

/** The time within which a process that has finished its work exits, even on a busy machine. */
const hangsAfterMs = 30_000;

/** Starts a program, and kills it after a time limit. */
export function startProgram(file: string, args: readonly string[], options: ChildOptions = {}) {
  const child = spawn(file, args, { env: { ...inheritedEnvironment(), ...options.env }, timeout: programTimeoutMs });
  // The output so far.
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  }
  // Ignores the write error of a child that exits before it has read all its input.
  child.stdin.on('error', () => undefined);
  if (options.stdin !== undefined) child.stdin.end(options.stdin);
  // The exit code, or the signal that ended it.
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
  });
  return {
    written,
    ended,
    type: (text: string) => child.stdin.write(text),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
  };
}

/** Runs a shell command on a terminal whose input stays open, as when a person uses it. Combines stdout and stderr. */
export function startTerminalProgram(line: string, env: Readonly<Record<string, string>>) {
  const child = startProgram('script', ['-qec', line, '/dev/null'], { env: { TERM: 'xterm', ...env } });
  return {
    ...child,
    screen: () => child.written.stdout.replaceAll('\r\n', '\n'),
    /** Returns the exit code, or `hangs` for a process that does not exit without a signal. */
    end: async () => {
      const code = await Promise.race([child.ended, wait(hangsAfterMs, 'hangs', { ref: false })]);
      child.kill('SIGKILL');
      return code;
    },
  };
}
