#!/usr/bin/env node
import { systemClock } from '../platform/clock.ts';
import { runOperator } from './run-operator.ts';

// What a command makes is for its user alone.
process.umask(0o077);
process.exitCode = await runOperator(process.argv.slice(2), {
  env: process.env,
  nodeVersion: process.version,
  uid: process.getuid?.(),
  clock: systemClock,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  errorStream: process.stderr,
});
