import { fileURLToPath } from 'node:url';
import { startProgram } from '@agent-platform/testing';

const main = fileURLToPath(new URL('../../src/operator/main.ts', import.meta.url));

interface RunOptions {
  readonly flags?: readonly string[];
  readonly killAfterMs?: number | undefined;
}

/** Runs an operator command with `--json` in a child process. */
export async function runOperatorProcess(
  env: Readonly<Record<string, string>>,
  words: readonly string[],
  { flags = [], killAfterMs }: RunOptions = {},
) {
  const startedMs = performance.now();
  const child = startProgram(process.execPath, [...flags, main, ...words, '--json'], { env, stdin: '' });
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const code = await child.ended.finally(() => clearTimeout(timer));
  const { stdout: out, stderr: err } = child.written;
  return { out, err, code, wasKilled: code === 'SIGKILL', ms: performance.now() - startedMs };
}
