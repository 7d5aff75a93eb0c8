#!/usr/bin/env node
// The program of the published package: `agent-platform-server` serves, and
// `agent-platform-server operator …` is the operator's command.
if (process.argv[2] === 'operator') {
  process.argv.splice(2, 1);
  await import('./operator/main.ts');
} else {
  await import('./main.ts');
}

export {};
