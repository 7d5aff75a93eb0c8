import { spawn } from 'node:child_process';
import type { Io } from '../io/io.ts';

export interface ExitStatus {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

interface ShellInput {
  readonly stdin: string;
  /** Variables in addition to those of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** Kills the command and its children when the signal aborts. */
  readonly signal: AbortSignal;
}

/** The command's stdout and stderr both go to stderr, because stdout is for this program's results. */
export async function runShellCommand(
  io: Pick<Io, 'env' | 'stderr'>,
  command: string,
  input: ShellInput,
): Promise<ExitStatus> {
  const isGroup = process.platform !== 'win32';
  const child = spawn(command, {
    shell: true,
    // A separate process group, so that the signal also reaches children of the shell.
    detached: isGroup,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...io.env, ...input.env },
  });
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => io.stderr.write(text));
  }
  // A command need not read its input; the resulting write error is not a failure.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input.stdin);
  const end = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(isGroup ? -child.pid : child.pid, 'SIGTERM');
    } catch {
      // The command has already exited.
    }
  };
  input.signal.addEventListener('abort', end, { once: true });
  try {
    return await new Promise<ExitStatus>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (exitCode, signal) => resolve({ exitCode, signal }));
      if (input.signal.aborted) end();
    });
  } finally {
    input.signal.removeEventListener('abort', end);
  }
}
