import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeStart, findServer } from './find-server.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agentp-find-server-'));
});
afterEach(() => rm(folder, { recursive: true }));

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

const find = () => findServer(['/nowhere/main.js', join(folder, 'package.json')], '0.1.0', 'npm install it');

it('finds the server where one of the files would find it', async () => {
  await install('0.1.0');

  const { entry, program } = find();

  expect(entry.endsWith('@agent-platform/server/a.js')).toBe(true);
  expect(program.endsWith('@agent-platform/server/b.js')).toBe(true);
});

it('says how to install the server where it is absent, or of another version', async () => {
  const error = (code: string) => expect.objectContaining({ code, hint: 'Run: npm install it' });
  expect(find).toThrow(error('server_not_installed'));
  await install('0.2.0');
  expect(find).toThrow(error('server_of_other_version'));
});

it('names the line for the way in which agentp was started', () => {
  expect(describeStart({}, '1.2.3')).toEqual({
    agentp: 'agentp',
    installLine: 'npm install @agent-platform/server@1.2.3',
  });
  expect(describeStart({ npm_command: 'exec' }, '1.2.3')).toEqual({
    agentp: 'npx @agent-platform/cli',
    installLine: 'npx --package @agent-platform/cli@1.2.3 --package @agent-platform/server@1.2.3 agentp dev',
  });
  expect(describeStart({ npm_lifecycle_event: 'agentp' }, '1.2.3').agentp).toBe('npm run -s agentp --');
});
