#!/usr/bin/env node
import process from 'node:process';
import { runCommand } from './run-command.ts';

const interruption = new AbortController();
const isClient = process.argv[2] === 'client';
const leaveMs = 1_000;

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    // The second time, or with nothing to report.
    if (isClient || interruption.signal.aborted) process.exit(2);
    process.stderr.write('\nInterrupted: a report of what was judged so far follows. Again ends at once.\n');
    interruption.abort();
  });
}

// Not process.exit(): what is still on its way into a pipe would be cut off.
process.exitCode = await runCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  errColumns: process.stderr.isTTY ? process.stderr.columns : undefined,
  columns: process.stdout.isTTY ? process.stdout.columns : undefined,
  signal: interruption.signal,
});
// A check that was left may still wait for its server.
if (interruption.signal.aborted) setTimeout(() => process.exit(), leaveMs).unref();
