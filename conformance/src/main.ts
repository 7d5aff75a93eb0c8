#!/usr/bin/env node
import process from 'node:process';
import { runCommand } from './run-command.ts';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(2));

// Not process.exit(): what is still on its way into a pipe would be cut off.
process.exitCode = await runCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  isTerminal: process.stderr.isTTY,
});
