#!/usr/bin/env node
// The program of the published package: `agent-platform-server` serves, and
// `agent-platform-server operator …` is the operator's command. An old Node.js
// cannot load the rest, so nothing of it is imported before its version is known.
import { isSupportedNode, oldestNode } from './platform/versions.ts';
import { missingHeapFlags } from './process/heap-flags.mjs';

const usage = `agent-platform-server              starts the server; settings are environment variables
agent-platform-server operator …   operator commands; see operator --help
agent-platform-server --version    prints the version
`;
const [word] = process.argv.slice(2);
if (!isSupportedNode(process.versions.node)) {
  const oldest = oldestNode.join('.');
  process.stderr.write(
    `This server needs Node.js ${oldest} or later, and this is ${process.version}. Install Node.js 24.\n`,
  );
  process.exitCode = 1;
} else if (word === 'operator') {
  process.argv.splice(2, 1);
  await import('./operator/main.ts');
} else if (word === undefined) {
  const { limitHeap } = await import('./agent-platform-server.ts');
  limitHeap();
  await import('./main.ts');
} else if (word === '--version') {
  const { version } = await import('./platform/versions.ts');
  process.stdout.write(`${version}\n`);
} else if (word === '--help') {
  process.stdout.write(usage);
} else {
  process.stderr.write(usage);
  process.exitCode = 2;
}

/**
 * Starts this program again in the same process, with limits for its heap. Without
 * them, V8 takes up to 4 GiB on a large machine before it collects in earnest.
 * The limits exist only as flags: V8 reads them before the first line of a program.
 * Systems without `execve` (Windows) keep the limits of Node.js.
 */
export function limitHeap(): void {
  const flags = missingHeapFlags();
  if (flags.length === 0) return;
  const command = [process.execPath, ...flags, ...process.execArgv, ...process.argv.slice(1)];
  process.execve?.(process.execPath, command, process.env);
}
