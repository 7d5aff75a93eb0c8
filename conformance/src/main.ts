#!/usr/bin/env node
import process from 'node:process';
import { runCommand } from './run-command.ts';

const interruption = new AbortController();
const isClient = process.argv[2] === 'client';
const leaveMs = 1_000;

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // A second signal ends the process immediately, and so does the first one if there is nothing to report.
    if (isClient || interruption.signal.aborted) process.exit(2);
    process.stderr.write(
      '\nInterrupted: a report of the results so far follows. Press Ctrl-C again to stop immediately.\n',
    );
    interruption.abort();
  });
}

// process.exit() would discard output that is still in a pipe.
process.exitCode = await runCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  errColumns: process.stderr.isTTY ? process.stderr.columns : undefined,
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  signal: interruption.signal,
});
// Ends the process even if an interrupted check still waits for the server.
if (interruption.signal.aborted) setTimeout(() => process.exit(), leaveMs).unref();
