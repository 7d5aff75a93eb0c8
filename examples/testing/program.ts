import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inheritedEnvironment } from '@agent-platform/testing';

/** A program of the examples in a process of its own. */
export interface Program {
  /** What it has said so far. */
  readonly said: () => string;
  /** How it ended: an exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts one of the examples; it does not outlive its time. */
export function startProgram(file: string, ...words: readonly string[]): Program {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  const child = spawn(process.execPath, [path, ...words], {
    env: inheritedEnvironment(),
    timeout: 90_000,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
  });
  return { said: () => said, ended, kill: (signal) => child.kill(signal) };
}
