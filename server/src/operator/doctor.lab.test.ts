import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { freshDatabase } from '@agent-platform/testing';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { type Installation, makeInstallation } from '../../testing/installation.ts';
import { chooseIsolation } from '../inspection/isolation.ts';
import { checkDataFolder, checkNode, checkZombies, countZombies } from './checks/machine-checks.ts';

interface Diagnosis {
  readonly healthy: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly state: string;
    readonly text: string;
    readonly hint: string | null;
  }[];
}

function install(env: Readonly<Record<string, string>> = {}): Installation {
  const installation = makeInstallation(env);
  onTestFinished(installation.stop);
  return installation;
}

async function diagnose(installation: Installation) {
  const done = await installation.operator('doctor', '--json');
  const { healthy, checks } = done.json() as Diagnosis;
  expect(done.exitCode).toBe(healthy ? 0 : 1);
  for (const { state, hint } of checks) expect(hint === null).toBe(state === 'ok');
  return { healthy, find: (name: string) => checks.find((check) => check.name === name) };
}

describe('doctor', () => {
  it('finds no fault in a healthy server and its database', async () => {
    const installation = install();
    await installation.start();
    const { healthy, find } = await diagnose(installation);

    expect(healthy).toBe(true);
    for (const name of [
      'node',
      'settings',
      'environment',
      'variables',
      'data folder',
      'socket',
      'live',
      'ready',
      'database',
      'schema',
      'clock',
    ])
      expect(find(name), name).toMatchObject({ state: 'ok' });
    expect(find('backups')).toMatchObject({ state: 'warn', text: 'There is no backup.' });
    expect(find('verified')).toMatchObject({ state: 'warn' });
    expect(find('backup folder')?.text).toContain('on the same disk as the data folder');
  });

  it('checks the settings and folders of the running server, not of its own environment', async () => {
    const installation = install({ PLATFORM_FEE_BPS: '250' });
    const files = join(installation.dataDir, 'elsewhere');
    await install({ ...installation.env, PLATFORM_STORAGE_URL: `file://${files}`, PLATFORM_FEE_BPS: '300' }).start();
    const { healthy, find } = await diagnose(installation);

    expect(healthy).toBe(true);
    expect(find('storage')?.text).toContain(files);
    expect(find('environment')).toMatchObject({
      state: 'warn',
      text: expect.stringMatching(/PLATFORM_FEE_BPS \(300 there\).*PLATFORM_STORAGE_URL \(file:/),
    });
  });

  it('starts a file check, and reports how it is isolated', async () => {
    const { kind } = chooseIsolation('auto');
    const named = { namespaces: 'by namespaces', landlock: 'by Landlock', none: 'Not isolated' };
    const { find } = await diagnose(install());
    const { find: without } = await diagnose(install({ PLATFORM_UPLOAD_ISOLATION: 'off' }));

    const isolated = {
      state: kind === 'none' ? 'warn' : 'ok',
      text: expect.stringContaining(named[kind]),
    };
    expect(find('file checks')).toMatchObject(isolated);
    expect(without('file checks')).toMatchObject({ state: 'warn', text: expect.stringContaining('Not isolated') });
  });

  it('reports PostgreSQL and the settings that weaken it', async () => {
    const { healthy, find } = await diagnose(install({ DATABASE_URL: await freshDatabase(inject('postgres15Url')) }));

    expect(healthy).toBe(true);
    expect(find('database')).toMatchObject({ state: 'ok', text: expect.stringContaining('PostgreSQL 15.') });
    expect(find('schema')).toMatchObject({ state: 'warn', text: expect.stringContaining('0001-baseline') });
    // In tests, PostgreSQL runs without fsync.
    expect(find('durability')).toMatchObject({ state: 'warn', text: expect.stringContaining('fsync = off') });
  });

  it('changes nothing: no folder is made, no migration done', async () => {
    const empty = install();
    expect((await diagnose(empty)).find('database')).toMatchObject({ state: 'warn' });
    expect((await diagnose(empty)).find('data folder')).toMatchObject({
      text: expect.stringContaining('does not exist yet'),
    });

    const fresh = install({ DATABASE_URL: await freshDatabase(inject('postgresUrl')) });
    await diagnose(fresh);
    expect((await diagnose(fresh)).find('schema')).toMatchObject({ state: 'warn' });
  });

  it('fails for a database that does not respond, and does not show its password', async () => {
    const installation = install({ DATABASE_URL: 'postgres://someone:secret@127.0.0.1:1/none' });
    const { healthy, find } = await diagnose(installation);

    expect(healthy).toBe(false);
    expect(find('database')).toMatchObject({ state: 'fail', hint: expect.stringContaining('DATABASE_URL') });
    expect(JSON.stringify(find('database'))).not.toContain('secret');
  });

  it('reports all wrong settings together', async () => {
    const installation = install({ PORT: 'many', PLATFORM_REGISTRATION_MODE: 'maybe' });
    const { healthy, find } = await diagnose(installation);
    const done = await installation.operator('doctor');

    expect(healthy).toBe(false);
    expect(find('settings')).toMatchObject({ state: 'fail' });
    expect(done.out).toMatch(/PORT="many"/);
    expect(done.out).toMatch(/PLATFORM_REGISTRATION_MODE="maybe"/);
  });

  it('points to a variable that is misspelled', async () => {
    const { find } = await diagnose(install({ PLATFORM_REGISTRATION: 'closed' }));

    expect(find('variables')).toMatchObject({
      state: 'warn',
      text: expect.stringContaining('PLATFORM_REGISTRATION (did you mean PLATFORM_REGISTRATION_MODE?)'),
    });
  });

  it('warns of a data folder that others can enter', async () => {
    const installation = install();
    mkdirSync(installation.dataDir);
    chmodSync(installation.dataDir, 0o755);

    const folder = (await diagnose(installation)).find('data folder');
    expect(folder).toMatchObject({ state: 'warn', hint: `chmod 700 ${installation.dataDir}` });
  });

  it('fails for a data folder that is a file', async () => {
    const installation = install();
    writeFileSync(installation.dataDir, '');

    expect(await installation.operator('doctor')).toMatchObject({
      exitCode: 1,
      out: expect.stringMatching(/is not a folder(.|\n)*The operating system refused/),
    });
    rmSync(installation.dataDir);
  });

  it('reports that another process uses the port', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) =>
      other.listen(0, '127.0.0.1', () => {
        const address = other.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      }),
    );
    const { find } = await diagnose(install({ PORT: String(port) }));
    other.close();

    expect(find('port')).toMatchObject({ state: 'warn', text: expect.stringContaining(String(port)) });
  });

  it('warns when the public address does not answer', async () => {
    const installation = install({ PLATFORM_PUBLIC_URL: 'http://127.0.0.1:1' });
    await installation.start();
    const { healthy, find } = await diagnose(installation);

    expect(healthy).toBe(true);
    expect(find('live')).toMatchObject({ state: 'ok' });
    expect(find('public address')).toMatchObject({ state: 'warn' });
  });

  it('fails for a folder of files that cannot be made', async () => {
    const installation = install();
    const blocked = install({ PLATFORM_STORAGE_URL: `file://${join(installation.dataDir, 'files')}` });
    writeFileSync(installation.dataDir, '');

    expect((await diagnose(blocked)).find('storage')).toMatchObject({ state: 'fail' });
  });
});

describe('the checks of the machine', () => {
  it.each([
    ['v24.21.0', 'ok'],
    ['v22.19.0', 'ok'],
    ['v22.18.1', 'fail'],
    ['v20.20.0', 'fail'],
  ])('judge Node.js %s: %s', (version, state) => {
    expect(checkNode(version).state).toBe(state);
  });

  it.skipIf(process.platform !== 'linux')('warn of zombies where the server is process 1', async () => {
    // The shell starts a process and is then replaced by a program that does not reap this child.
    const parent = spawn('/bin/sh', ['-c', 'true & exec sleep 60']);
    onTestFinished(() => void parent.kill());

    await expect.poll(() => countZombies(parent.pid ?? 0), { timeout: 30_000 }).toBe(1);
    expect(checkZombies(0)).toMatchObject({ state: 'ok' });
    expect(checkZombies(1)).toMatchObject({ state: 'warn', hint: expect.stringContaining('--init') });
  });

  it('warn of a data folder that belongs to another user', () => {
    const installation = install();
    mkdirSync(installation.dataDir, { mode: 0o700 });
    const [folder] = checkDataFolder(installation.dataDir, (process.getuid?.() ?? 0) + 1);

    expect(folder).toMatchObject({ state: 'warn', hint: expect.stringContaining('owner of the folder') });
  });
});
