import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { beforeEach, expect, it } from 'vitest';
import { fetchServerPackage, findServerPackage, formatStartCommands, isStartedByNpx } from './find-server.ts';

let folder: string;
beforeEach(() => {
  folder = makeTestFolder();
});

async function install(version: string): Promise<void> {
  const place = join(folder, 'node_modules/@agent-platform/server');
  await mkdir(place, { recursive: true });
  const manifest = { version, exports: { '.': './a.js', './package.json': './package.json' } };
  await writeFile(
    join(place, 'package.json'),
    JSON.stringify({ ...manifest, bin: { 'agent-platform-server': 'b.js' } }),
  );
  await writeFile(join(place, 'a.js'), '');
}

const find = () => findServerPackage(['/nowhere/main.js', join(folder, 'package.json')], '0.1.0', 'npm install it');

it('finds the server package that can be resolved from one of the files', async () => {
  await install('0.1.0');

  const { entry, program } = find();

  expect(entry.endsWith('@agent-platform/server/a.js')).toBe(true);
  expect(program.endsWith('@agent-platform/server/b.js')).toBe(true);
});

it('explains how to install the server if it is absent or of another version', async () => {
  const error = (code: string) => expect.objectContaining({ code, hint: 'Run: npm install it' });
  expect(find).toThrow(error('server_not_installed'));
  await install('0.2.0');
  expect(find).toThrow(error('server_of_other_version'));
});

it('fetches the server with npx if npx has started the program', async () => {
  const npm = join(folder, 'npm-cli.js');
  const local = join(folder, 'node_modules/.bin');
  const home = join(folder, 'home');
  const env = { npm_command: 'exec', npm_execpath: npm, npm_config_package: 'another', PATH: `${local}:.:/bin` };
  expect([isStartedByNpx(env), isStartedByNpx({ npm_execpath: npm })]).toEqual([true, false]);
  const told: string[] = [];
  const fetch = () => fetchServerPackage(env, '0.1.0', home, AbortSignal.timeout(120_000), (text) => told.push(text));
  await writeFile(npm, `console.error('npm error code E404'); process.exit(1);`);
  await expect(fetch()).rejects.toMatchObject({ code: 'server_not_fetched' });
  expect(told).toEqual(['npm error code E404']);

  // This npm substitute installs nothing, and records how it was called.
  await install('0.1.0');
  const called = join(folder, 'called.json');
  const programs = join(folder, 'node_modules/.bin');
  const program = `
    const { argv, env } = process;
    const words = [...argv.slice(2), env.npm_config_package ?? 'nothing more', env.PATH, process.cwd()];
    require('node:fs').writeFileSync(${JSON.stringify(called)}, JSON.stringify(words));
    console.log(${JSON.stringify([programs, '/bin'].join(delimiter))});
  `;
  await writeFile(npm, program);
  const file = await fetch();

  expect(findServerPackage([file], '0.1.0', '').entry).toBe(join(folder, 'node_modules/@agent-platform/server/a.js'));
  expect(JSON.parse(await readFile(called, 'utf8'))).toEqual([
    'exec',
    '--yes',
    `--prefix=${home}`,
    '--package=@agent-platform/server@0.1.0',
    '--',
    'node',
    '-p',
    'process.env.PATH',
    'nothing more',
    '/bin',
    home,
  ]);
});

it('returns command lines that match how agentp was started', () => {
  expect(formatStartCommands({}, '1.2.3', '/lib/node_modules/x.js', true)).toEqual({
    agentp: 'agentp',
    operator: 'agent-platform-server operator',
    installLine: expect.stringMatching(/^npm install --global @agent-platform\/server@1\.2\.3,.*\/lib\/node_modules/),
  });
  const npx = { npm_command: 'exec', npm_execpath: 'npm-cli.js' };
  expect(formatStartCommands(npx, '1.2.3', '', true)).toEqual({
    agentp: 'npx @agent-platform/cli',
    operator: 'npx @agent-platform/server operator',
    installLine: 'npx --package @agent-platform/cli@1.2.3 --package @agent-platform/server@1.2.3 agentp dev',
  });
  expect(formatStartCommands(npx, '1.2.3', '', false)).toMatchObject({
    agentp: 'agentp',
    installLine: expect.stringContaining('packages/agent-platform-server-*.tgz'),
  });
  expect(formatStartCommands({ npm_lifecycle_event: 'agentp' }, '1.2.3', '').agentp).toBe('npm run -s agentp --');
});
