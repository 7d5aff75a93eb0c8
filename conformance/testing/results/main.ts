// `npm run lab -- results` judges the reference server in full, with a movable clock, and writes its published result
// to results/agent-platform-server/<version>. Each release replaces the previous result.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../src/run-command.ts';
import { startReferenceServer, unlimitedSettings } from '../reference-server.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const { version } = JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8'));
const folder = join(root, 'results/agent-platform-server', version);
mkdirSync(folder, { recursive: true });

const server = await startReferenceServer({ ...unlimitedSettings, PLATFORM_CLOCK: 'test' });
const { hooks, wsUrl } = server.means;
const output = { out: (text: string) => process.stdout.write(text), err: (text: string) => process.stderr.write(text) };
const reports = ['json=report.json', 'badge=badge.svg', 'badge=badge.json', 'bundle=bundle.json.gz'];
process.exitCode = await runCommand(
  [
    ...['--base-url', server.url, '--ws-url', wsUrl, '--no-pace', '--grant-command', hooks.grant],
    ...['--clock-command', hooks.clock ?? '', '--suspend-command', server.suspendCommand],
    ...reports.flatMap((report) => ['--report', report.replace('=', `=${folder}/`)]),
  ],
  output,
).finally(() => server.stop());
if (process.exitCode === 0) process.exitCode = await runCommand(['verify', join(folder, 'bundle.json.gz')], output);
