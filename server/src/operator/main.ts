#!/usr/bin/env node
import { createInterface } from 'node:readline/promises';
import { systemClock } from '../platform/clock.ts';
import { runOperator } from './run-operator.ts';

async function askPerson(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}

// What a command makes is for its user alone.
process.umask(0o077);
process.exitCode = await runOperator(process.argv.slice(2), {
  env: process.env,
  nodeVersion: process.version,
  uid: process.getuid?.(),
  clock: systemClock,
  ...(process.stdin.isTTY && process.stderr.isTTY ? { ask: askPerson } : {}),
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  errorStream: process.stderr,
});
