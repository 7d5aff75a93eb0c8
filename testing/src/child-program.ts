import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { inheritedEnvironment } from './inherited-environment.ts';

export type ChildProgram = ReturnType<typeof startProgram>;

interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The whole content of stdin; undefined leaves stdin open for `type`. */
  readonly stdin?: string | undefined;
}

/** Shorter than the time limit of tests, so that a hanging program is killed before its test times out. */
const programTimeoutMs = 600_000;

/** The time in which a process that has finished its work exits, even on a busy machine. */
const hangsAfterMs = 30_000;

export function startProgram(file: string, args: readonly string[], options: ChildOptions = {}) {
  const child = spawn(file, args, { env: { ...inheritedEnvironment(), ...options.env }, timeout: programTimeoutMs });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  }
  // Ignores the write error that occurs if a child exits before it has read all its input.
  child.stdin.on('error', () => undefined);
  if (options.stdin !== undefined) child.stdin.end(options.stdin);
  // The exit code, or the name of the signal that ended the process.
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

/** The input of the terminal stays open, as when a person uses it. The output combines stdout and stderr. */
export function startTerminalProgram(line: string, env: Readonly<Record<string, string>>) {
  const child = startProgram('script', ['-qec', line, '/dev/null'], { env: { TERM: 'xterm', ...env } });
  return {
    ...child,
    screen: () => child.written.stdout.replaceAll('\r\n', '\n'),
    /** Returns the exit code, or `hangs` if the process does not exit without a signal. */
    end: async () => {
      const code = await Promise.race([child.ended, wait(hangsAfterMs, 'hangs', { ref: false })]);
      child.kill('SIGKILL');
      return code;
    },
  };
}
