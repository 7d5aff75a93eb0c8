import { randomBytes } from 'node:crypto';
import { copyTemplateDatabase } from '@agent-platform/testing/template-database';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Installation, makeInstallation, readPassportStatus, register } from '../../../testing/installation.ts';
import { countConnectionsPerInstance, findConnectionShortage } from './connection-budget.ts';

const limit = { name: 'max_connections', connections: 97, instances: 0, others: 0 };

describe('the connections of a server', () => {
  it('are those of its pool and two others, or only these two behind a pooler in transaction mode', () => {
    const databaseConnections = 10;
    expect(countConnectionsPerInstance({ databaseConnections, directDatabaseUrl: undefined })).toBe(12);
    expect(countConnectionsPerInstance({ databaseConnections, directDatabaseUrl: 'postgres://direct' })).toBe(2);
  });

  it.each([
    ['by none', [], undefined],
    ['by just enough for it', [{ ...limit, connections: 12 }], undefined],
    [
      'by one less',
      [{ ...limit, connections: 11 }],
      /max_connections is 11, .* leaves 11\. Lower PLATFORM_DATABASE_CO/,
    ],
    ['by just enough beside others', [{ ...limit, instances: 7, others: 1 }], undefined],
    [
      'by the connections of others',
      [{ ...limit, instances: 7, others: 2 }],
      /7 instance.* use up to 84 and other .* 2, .* leaves 11\./,
    ],
    ['by a limit that others already exceed', [{ ...limit, instances: 9 }], /leaves 0\./],
    [
      'only by the second limit',
      [limit, { ...limit, name: 'the limit of the role', connections: 5 }],
      /of the role is 5,/,
    ],
  ])('are limited %s', (_, limits, words) => {
    const shortage = findConnectionShortage(limits, 12);
    if (words === undefined) expect(shortage).toBeUndefined();
    else expect(shortage).toMatch(words);
  });
});

describe('servers with a pool of 2 and a role with 8 connections', () => {
  const role = `role_${randomBytes(6).toString('hex')}`;
  const installations: Installation[] = [];
  let database: Awaited<ReturnType<typeof copyTemplateDatabase>>;
  let admin: Client;
  beforeAll(async () => {
    database = await copyTemplateDatabase();
    admin = new Client({ connectionString: database.environment.DATABASE_URL });
    await admin.connect();
    await admin.query(`create role ${role} login password '${role}' connection limit 8`);
    await admin.query(`grant all on all tables in schema public to ${role}`);
    await admin.query(`grant all on all sequences in schema public to ${role}`);
    const url = Object.assign(new URL(database.environment.DATABASE_URL ?? ''), { username: role, password: role });
    const PLATFORM_STORAGE_URL = `file://${makeTestFolder()}`;
    const env = { DATABASE_URL: url.href, PLATFORM_DATABASE_CONNECTIONS: '2', PLATFORM_STORAGE_URL };
    for (let number = 0; number < 3; number += 1) installations.push(makeInstallation(env));
  });
  afterAll(async () => {
    for (const installation of installations) await installation.stop();
    await admin.query(`drop owned by ${role}`);
    await admin.query(`drop role ${role}`);
    await admin.end();
    await database.drop();
  });

  const countSessions = async () => {
    const { rows } = await admin.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'agent-platform session'`,
    );
    return rows.length;
  };

  it('number two, and a third one starts once one of them has ended', async () => {
    const [one, two, three] = installations as [Installation, Installation, Installation];
    const first = await one.start();
    const second = await two.start();
    // On a busy machine, the session that counts a server may connect after the server has started.
    await vi.waitFor(async () => expect(await countSessions()).toBe(2), 120_000);
    await expect(three.start()).rejects.toThrow(
      'uses up to 4: the connection limit of the role is 8, of which 2 instance(s) use up to 8 and other programs 0, which leaves 0',
    );

    const { token } = await register(first.url, 'alice');
    const requests = Array.from({ length: 40 }, (_, at) => readPassportStatus(at % 2 ? first.url : second.url, token));
    // PostgreSQL allows 8 connections, and a backup must not need more.
    const backup = await one.operator('backup', 'create');
    expect(backup.exitCode, backup.err).toBe(0);
    expect(new Set(await Promise.all(requests))).toEqual(new Set([200]));

    const doctor = (await one.operator('doctor', '--json')).json() as { checks: { name: string; text: string }[] };
    expect(doctor.checks.find(({ name }) => name === 'connections')?.text).toBe(
      'A server uses up to 4 connections; the connection limit of the role is 8, of which 2 instance(s) use up to 8 and other programs 0, which leaves 0.',
    );

    await first.stop();
    expect(await readPassportStatus((await three.start()).url, token)).toBe(200);
  });
});
