import process from 'node:process';
import { exitCodes } from './errors/exit-codes.ts';
import { Interruption } from './errors/failure.ts';
import { findHomeFolder } from './io/home-folder.ts';
import { openIo } from './io/open-io.ts';
import { type CatalogueLoader, runCli } from './run-cli.ts';

// Under npm, one Ctrl-C arrives twice, from the terminal and from npm: signals within this time count as one.
const sameInterruptionMs = 300;

/** Runs a command line with the streams, environment, signals and exit code of this process. */
export async function runProcess(argv: readonly string[], loadCatalogue: CatalogueLoader): Promise<void> {
  const interruption = new AbortController();
  let interruptedAt = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      // After the first signal, a command may still receive a response that must not be lost; the second one ends the
      // process.
      if (interruption.signal.aborted) {
        if (performance.now() - interruptedAt > sameInterruptionMs) process.exit(exitCodes.interrupted);
        return;
      }
      interruptedAt = performance.now();
      interruption.abort(new Interruption());
    });
  }

  const io = openIo(process, {
    env: process.env,
    homeFolder: findHomeFolder(),
    nodeVersion: process.versions.node,
    now: () => new Date(),
    signal: interruption.signal,
  });

  // process.exit() would cut off output that is still being written to a pipe.
  process.exitCode = await runCli(argv, io, loadCatalogue);
}
