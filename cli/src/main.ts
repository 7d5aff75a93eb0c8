#!/usr/bin/env node
import { homedir } from 'node:os';
import process from 'node:process';
import { exitCodes } from './errors/exit-codes.ts';
import { Interruption } from './errors/interruption.ts';
import { openIo } from './io/open-io.ts';
import { runCli } from './run-cli.ts';

// One Ctrl+C arrives twice when npm started us: from the terminal and from npm.
const sameInterruptionMs = 300;

const interruption = new AbortController();
let interruptedAt = 0;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // The first time a command may still bring an answer home that would be
    // lost; whoever insists is obeyed.
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
  homeFolder: homedir(),
  nodeVersion: process.versions.node,
  now: () => new Date(),
  signal: interruption.signal,
});

// Not process.exit(): what is still on its way into a pipe would be cut off.
process.exitCode = await runCli(process.argv.slice(2), io);
