#!/usr/bin/env node
import { systemClock } from '../platform/clock.ts';
import { runOperator } from './run-operator.ts';

process.exitCode = await runOperator(process.argv.slice(2), {
  env: process.env,
  nodeVersion: process.version,
  uid: process.getuid?.(),
  clock: systemClock,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  errorStream: process.stderr,
});
