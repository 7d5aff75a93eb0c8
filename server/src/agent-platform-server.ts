#!/usr/bin/env node
// The program of the published package: `agent-platform-server` serves, and
// `agent-platform-server operator …` is the operator's command.
const usage = `agent-platform-server              starts the server; settings are environment variables
agent-platform-server operator …   operator commands; see operator --help
`;
const [word] = process.argv.slice(2);
if (word === 'operator') {
  process.argv.splice(2, 1);
  await import('./operator/main.ts');
} else if (word === undefined) {
  await import('./main.ts');
} else if (word === '--help') {
  process.stdout.write(usage);
} else {
  process.stderr.write(usage);
  process.exitCode = 2;
}

export {};
