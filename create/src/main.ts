#!/usr/bin/env node
import process from 'node:process';
import { isPublished, makeInstallLines } from '../../install-lines.ts';
import { createAgent } from './create-agent.ts';

const [target] = process.argv.slice(2);
if (target === undefined || target.startsWith('-')) {
  const isHelp = target === '--help';
  (isHelp ? process.stdout : process.stderr).write('Usage: npm create agent-platform FOLDER\n');
  process.exitCode = isHelp ? 0 : 2;
} else {
  try {
    createAgent(target);
    const install = makeInstallLines('sdk', isPublished).install(`--prefix ${target}`);
    process.stdout.write(`The bot is in ${target}. Next:\n\n  ${install}\n  cd ${target}\n  npm test\n`);
  } catch (error) {
    process.stderr.write(`create-agent-platform: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
