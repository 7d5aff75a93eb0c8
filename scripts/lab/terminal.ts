import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programEnvironment, root } from '../published-packages.ts';
import { installNode } from './install-node.ts';

// `npm run lab -- terminal [versions …]`: runs the terminal tests of `agentp` with Node.js 22, 24 and 26, or with the
// given versions.

const versions = process.argv.slice(2);
const codes: number[] = [];
for (const version of versions.length === 0 ? ['22', '24', '26'] : versions) {
  const folder = mkdtempSync(join(tmpdir(), 'agent-platform-terminal-'));
  const env = { ...programEnvironment, AGENTP_NODE: await installNode(folder, version) };
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', 'cli/src/terminal.lab.test.ts'];
  const tests = spawn(process.execPath, vitest, { cwd: root, env, stdio: 'inherit' });
  codes.push(Number((await once(tests, 'close'))[0] ?? 1));
  console.log(`agentp with Node.js ${version}: ${codes.at(-1) === 0 ? 'every test passed' : 'failed'}`);
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = Math.max(...codes);
