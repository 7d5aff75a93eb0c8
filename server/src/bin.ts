#!/usr/bin/env node
// The package's own command: the server, or with `operator` before the rest, its operator.
const [word, ...rest] = process.argv.slice(2);
if (word === 'operator') {
  process.argv.splice(2, 1);
  await import('./operator/main.ts');
} else if (word === undefined) {
  await import('./main.ts');
} else {
  const isHelp = word === '--help' && rest.length === 0;
  process[isHelp ? 'stdout' : 'stderr'].write(
    'agent-platform-server             runs the server; its settings are environment variables\nagent-platform-server operator …  operates it; add --help for the commands\n',
  );
  process.exitCode = isHelp ? 0 : 2;
}

export {};
