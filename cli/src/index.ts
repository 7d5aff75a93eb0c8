import type { Io } from '@agent-platform/cli-core/io/io';
import { runCli as run } from '@agent-platform/cli-core/run-cli';
import { loadCatalogue } from './load-catalogue.ts';

export { type ExitCode, exitCodeMeanings, exitCodes } from '@agent-platform/cli-core/errors/exit-codes';
export { Interruption } from '@agent-platform/cli-core/errors/failure';
export type { InputStream, Io, OutputStream } from '@agent-platform/cli-core/io/io';

/** Runs one command line of `agentp` and returns its exit code. `argv` starts after the program name. */
export function runCli(argv: readonly string[], io: Io): Promise<number> {
  return run(argv, io, loadCatalogue);
}
