import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { version } from '@agent-platform/cli-core/version';
import { inheritedEnvironment } from '@agent-platform/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { formatInstallCommand } from './install-line.ts';

const own = join(import.meta.dirname, '../..');

const makeFolder = () => realpathSync(makeTestFolder());

/** Installs this program without its optional packages. */
function installAlone(folder: string): string {
  for (const name of ['src', 'package.json']) cpSync(join(own, name), join(folder, name), { recursive: true });
  for (const name of ['@agent-platform/cli-core', '@agent-platform/sdk', '@noble/hashes', 'commander']) {
    const place = join(folder, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(realpathSync(join(own, 'node_modules', name)), place);
  }
  for (const name of ['install-lines.ts', 'release.json']) cpSync(join(own, '..', name), join(folder, '..', name));
  return join(folder, 'src/main.ts');
}

it.each(['mcp', 'dev'])('executes nothing of the current folder for agentp %s', (command) => {
  const [home, hostile, place] = [makeFolder(), makeFolder(), makeFolder()];
  const executed = join(hostile, 'executed');
  for (const name of ['mcp', 'server']) {
    const folder = join(hostile, 'node_modules/@agent-platform', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'index.js'), `require('node:fs').writeFileSync('${executed}', '');`);
    const manifest = { version, bin: { 'agent-platform-server': 'index.js' } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  }
  const env = { ...inheritedEnvironment(), AGENTP_HOME: home };
  const words = [installAlone(join(place, 'cli')), command, '--json'];
  const { stdout, stderr, status } = spawnSync(process.execPath, words, { cwd: hostile, env, encoding: 'utf8' });

  const [code, output] = command === 'mcp' ? ['mcp_not_installed', stderr] : ['server_not_installed', stdout];
  expect(output).toContain(code);
  expect(output).toContain('node_modules is searched');
  expect([status, existsSync(executed)]).toEqual([1, false]);
});

it('names a command that installs the package where this program searches', () => {
  const folder = makeFolder();
  const file = join(folder, 'node_modules/@agent-platform/cli/dist/main.js');
  const end = `, which installs it beside agentp: ${join(folder, 'node_modules')} is searched`;
  expect(formatInstallCommand(file, 'mcp', '1.0.0', true)).toBe(`npm install --global @agent-platform/mcp@1.0.0${end}`);
  writeFileSync(join(folder, 'package.json'), '{}');
  const tarballs = './packages/agent-platform-server-*.tgz ./packages/agent-platform-contract-*.tgz';
  expect(formatInstallCommand(file, 'server', '1.0.0', false)).toBe(
    `npm run pack && npm install --prefix ${folder} ${tarballs} in a checkout${end}`,
  );
});
