import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort, findUnprivilegedUser } from '@agent-platform/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { startDaemon } from '../processes/daemon.ts';

/** For example `1.24.1`; undefined if PgBouncer is not installed. */
export function findPgBouncerVersion(program = 'pgbouncer'): string | undefined {
  return /PgBouncer (\S+)/.exec(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1];
}

/** The returned `url` connects to the same database through PgBouncer. */
export async function startPgBouncer(databaseUrl: string, mode: 'session' | 'transaction', program = 'pgbouncer') {
  const target = new URL(databaseUrl);
  const folder = makeTestFolder();
  chmodSync(folder, 0o755);
  const port = await findFreePort();
  const file = join(folder, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `* = host=${target.hostname} port=${target.port} user=${target.username} password=${target.password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    // As in docs/operating/database.md; versions before 1.21 lack this setting.
    ...(isBefore121(findPgBouncerVersion(program)) ? [] : ['max_prepared_statements = 200']),
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const daemon = startDaemon(program, [file], port, findUnprivilegedUser());
  await daemon.ready();
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    stop: () => daemon.stop(),
  };
}

function isBefore121(version: string | undefined): boolean {
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number);
  return major < 1 || (major === 1 && minor < 21);
}
