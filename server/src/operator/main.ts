#!/usr/bin/env node
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { systemClock } from '../platform/clock.ts';
import { runOperator } from './run-operator.ts';

async function askPerson(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  process.stderr.write(question);
  // Ctrl-D closes the input without an answer.
  const [answer = ''] = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
  lines.close();
  return answer;
}

// Makes the files that the command creates readable only by this user.
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
