import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  freshDatabase,
  inheritedEnvironment,
  type ServerProcess,
  startLoadAdjustedTimer,
  startServerProcess,
} from '@agent-platform/testing';
import { copyEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { type Installation, makeInstallation, readPassportStatus, register } from '../../testing/installation.ts';
import { findExposedEntries } from '../../testing/open-entries.ts';
import { lockFolder } from '../store/embedded/folder-lock.ts';

const bin = fileURLToPath(new URL('../bin.ts', import.meta.url));

async function start({ env }: Installation): Promise<ServerProcess> {
  const server = await startServerProcess(env);
  onTestFinished(async () => void (await server.end('SIGKILL')));
  return server;
}

async function run(env: Readonly<Record<string, string>>, ...words: string[]) {
  return await runIn(process.cwd(), env, ...words);
}

async function runIn(cwd: string, env: Readonly<Record<string, string>>, ...words: string[]) {
  return await new Promise<{ readonly exitCode: number; readonly out: string; readonly err: string }>((resolve) => {
    const options = { cwd, env: { ...inheritedEnvironment(), ...env }, timeout: 600_000 };
    execFile(process.execPath, [bin, ...words], options, (error, out, err) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

describe('the operator and a real server', () => {
  it.each(['pglite', 'postgresql'] as const)(
    'on %s: it works next to it, after kill -9, and next to its successor',
    async (store) => {
      const here = makeInstallation(
        store === 'pglite' ? {} : { DATABASE_URL: await freshDatabase(inject('postgresUrl')) },
      );
      const server = await start(here);
      const { token } = await register(server.url, 'alice');
      const socket = `${here.dataDir}/operator.sock`;
      expect(statSync(socket).mode & 0o777).toBe(0o600);
      expect(statSync(here.dataDir).mode & 0o777).toBe(0o700);
      expect(await run(here.env, 'operator', 'registration', 'closed')).toMatchObject({ exitCode: 0 });
      expect(server.output()).toContain('"by":"operator","command":"registration closed"');

      await server.end('SIGKILL');
      expect(existsSync(socket)).toBe(true);
      const alone = await run(here.env, 'operator', 'agents', 'suspend', 'alice', '--json');
      expect(alone).toMatchObject({ exitCode: 0 });
      expect(JSON.parse(alone.out)).toMatchObject({ changed: true });

      const next = await start(here);
      expect(await readPassportStatus(next.url, token)).toBe(403);
      expect(await register(next.url, 'bob')).toMatchObject({ code: 'registration_unavailable' });
      expect(await run(here.env, 'operator', 'agents', 'reactivate', 'alice')).toMatchObject({ exitCode: 0 });
      expect(await readPassportStatus(next.url, token)).toBe(200);

      expect(await next.end('SIGTERM')).toBe(0);
      expect(existsSync(socket)).toBe(false);
    },
  );

  it('waits for a server that is just starting, and is answered by it', async () => {
    const here = makeInstallation();
    // Copies the database first, because creating it takes most of the time for which the second command waits.
    copyEmptyDatabase(here.dataDir);
    const starting = start(here);
    const [done] = await Promise.all([run(here.env, 'operator', 'config', '--json'), starting]);

    // Neither process fails, whichever opened the folder first.
    expect(done).toMatchObject({ exitCode: 0 });

    // A path is relative to the working directory of the command, not of the server.
    writeFileSync(`${here.dataDir}/kept.key`, 'ab'.repeat(32));
    const verify = ['operator', 'backup', 'verify', 'newest', '--key-file', 'kept.key', '--json'];
    expect((await runIn(here.dataDir, here.env, ...verify)).err).toContain('backup_not_found');
  });

  it('serializes commands without a server on the embedded database', async () => {
    const here = makeInstallation();
    copyEmptyDatabase(here.dataDir);
    const all = await Promise.all([1, 2].map(() => run(here.env, 'operator', 'invitations', 'create')));

    for (const done of all) expect(done).toMatchObject({ exitCode: 0, err: '' });
    const { out } = await run(here.env, 'operator', 'invitations', 'list', '--json');
    expect(JSON.parse(out)).toMatchObject({ invitations: [{}, {}] });
  });

  it('makes a database that other users cannot read', async () => {
    const here = makeInstallation();
    mkdirSync(here.dataDir, { mode: 0o755 });

    expect(await run(here.env, 'operator', 'invitations', 'create')).toMatchObject({ exitCode: 0 });
    expect(existsSync(`${here.dataDir}/database`)).toBe(true);
    expect(findExposedEntries(here.dataDir)).toEqual([]);
  });

  it('does not change a folder that belongs to no server', async () => {
    const here = makeInstallation();
    const refused = await run(here.env, 'operator', 'credits', 'grant', 'alice', '100', '--json');

    expect(refused.exitCode).toBe(1);
    expect(JSON.parse(refused.err)).toMatchObject({
      error: { code: 'no_database', message: expect.stringContaining(here.dataDir) },
    });
    expect(existsSync(here.dataDir)).toBe(false);
  });

  it('fails after 10 s on a folder that another process has locked, with the reason', async () => {
    const here = makeInstallation();
    mkdirSync(here.dataDir, { mode: 0o700 });
    const lock = await lockFolder(here.dataDir, 0);
    const startedAt = performance.now();
    const quietMs = startLoadAdjustedTimer();
    const done = await run(here.env, 'operator', 'agents', 'list');
    const waitedMs = performance.now() - startedAt;
    lock.release();

    expect(done).toMatchObject({ exitCode: 1, out: '', err: expect.stringMatching(/in use.*10 s/) });
    expect(waitedMs).toBeGreaterThan(10_000);
    expect(quietMs()).toBeLessThan(20_000);
  });
});

describe('the package command', () => {
  it('prints its help, and refuses unknown words', async () => {
    expect(await run({}, '--help')).toMatchObject({ exitCode: 0, out: expect.stringContaining('operator …') });
    expect(await run({}, 'serve')).toMatchObject({ exitCode: 2, out: '', err: expect.stringContaining('operator …') });
    expect(await run({}, 'operator', '--help')).toMatchObject({ exitCode: 0, out: expect.stringContaining('doctor') });
    expect(await run({}, 'operator', 'nonsense')).toMatchObject({ exitCode: 2, out: '' });
  });
});
