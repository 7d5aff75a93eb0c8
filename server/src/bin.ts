#!/usr/bin/env node
// The program of the published package: `agent-platform-server` starts the server, and `agent-platform-server
// operator …` runs operator commands. Imports the other modules only after the version check, because an old Node.js
// cannot load them.
import { isSupportedNodeVersion, minimumNodeVersion } from './platform/versions.ts';

const usage = `agent-platform-server              starts the server; settings are environment variables
agent-platform-server operator …   operator commands; see operator --help
agent-platform-server --version    prints the version
`;
const [word] = process.argv.slice(2);
if (!isSupportedNodeVersion(process.versions.node)) {
  const oldest = minimumNodeVersion.join('.');
  process.stderr.write(
    `This server needs Node.js ${oldest} or later, and this is ${process.version}. Install Node.js 24.\n`,
  );
  process.exitCode = 1;
} else if (word === 'operator') {
  process.argv.splice(2, 1);
  await import('./operator/main.ts');
} else if (word === undefined) {
  const { limitHeap } = await import('./process/heap-limit.ts');
  limitHeap();
  await import('./main.ts');
} else if (word === '--version') {
  const { serverVersion } = await import('./platform/versions.ts');
  process.stdout.write(`${serverVersion}\n`);
} else if (word === '--help') {
  process.stdout.write(usage);
} else {
  process.stderr.write(usage);
  process.exitCode = 2;
}
