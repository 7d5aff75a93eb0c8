import { fileURLToPath } from 'node:url';
import { type ChildProgram, startProgram } from '@agent-platform/testing';

export const mainFile = fileURLToPath(new URL('../src/main.ts', import.meta.url));

interface ChildOptions {
  readonly env: Readonly<Record<string, string>>;
  /** The whole content of stdin; undefined leaves it open for `type`. */
  readonly stdin: string | undefined;
  /** The program to start instead of `agentp`, such as a shell that runs it. */
  readonly program?: string;
}

export function startChild(args: readonly string[], { program, ...options }: ChildOptions): ChildProgram {
  const own = program === undefined ? [mainFile, ...args] : args;
  return startProgram(program ?? process.execPath, own, options);
}
