import { freshDatabase, startServerProcess } from '@agent-platform/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { connectEvents } from '../../../testing/event-client.ts';
import { findPgBouncerVersion, startPgBouncer } from '../../../testing/pooler/start-pgbouncer.ts';
import { makeRegistration, sendRequest } from '../../../testing/test-server.ts';
import { sessionSettings } from '../orm.ts';
import { findPooling } from './find-pooling.ts';
import { requirePooling } from './require-pooling.ts';

const direct = { mode: 'none', keepsStatements: true, missingSettings: '' } as const;

describe('a server whose database address points', () => {
  it('to the database itself, or to a pooler in session mode, starts', () => {
    expect(() => requirePooling(direct, false)).not.toThrow();
    expect(() => requirePooling({ ...direct, mode: 'session' }, false)).not.toThrow();
  });

  it.each([
    ['that drops prepared statements', { keepsStatements: false }, true, /1\.21 or later/],
    ['without an address of the database itself', {}, false, /Set PLATFORM_DIRECT_DATABASE_URL/],
    ['whose role lacks settings', { missingSettings: "alter role me set timezone = 'UTC';" }, true, /alter role me/],
  ])('to a pooler in transaction mode %s, does not start', (_, more, hasDirectUrl, words) => {
    expect(() => requirePooling({ ...direct, mode: 'transaction', ...more }, hasDirectUrl)).toThrow(words);
  });

  it('to a pooler in transaction mode that lacks nothing, starts', () => {
    expect(() => requirePooling({ ...direct, mode: 'transaction' }, true)).not.toThrow();
  });
});

const version = findPgBouncerVersion();

describe.skipIf(version === undefined)(
  `PgBouncer ${version ?? 'is not installed: on Debian, apt-get install it'}`,
  () => {
    const folder = makeTestFolder();

    async function openPooled(mode: 'session' | 'transaction') {
      const url = await freshDatabase(inject('postgresUrl'));
      const pooler = await startPgBouncer(url, mode);
      onTestFinished(pooler.stop);
      return { url, pooled: pooler.url };
    }

    it('in transaction mode is detected, and refused with the remedy', async () => {
      const { url, pooled } = await openPooled('transaction');
      expect(await findPooling(url, sessionSettings)).toEqual(direct);
      const found = await findPooling(pooled, sessionSettings);
      expect(found).toMatchObject({ mode: 'transaction' });
      expect(found.missingSettings).toMatch(
        /^alter role postgres set .* alter role postgres set statement_timeout = '5s';/,
      );

      const start = startServerProcess({ DATABASE_URL: pooled, PLATFORM_DATA_DIR: folder });
      await expect(start).rejects.toThrow(
        /could not start. DATABASE_URL points to a connection pooler in transaction mode/,
      );
    });

    it('in session mode serves a server, including notifications', async () => {
      const { pooled } = await openPooled('session');
      expect((await findPooling(pooled, sessionSettings)).mode).toBe('session');

      const [one, other] = await Promise.all([startServerProcess({ DATABASE_URL: pooled }), undefined]);
      onTestFinished(async () => void (await one.end('SIGKILL')));
      expect(other).toBeUndefined();
      const answer = await sendRequest(one.url, 'POST', '/api/v1/bots/register', { body: makeRegistration('pooled') });
      expect(answer.status).toBe(201);
      const events = await connectEvents(one.url, { token: String(answer.body['token']) });
      await events.close();
      expect(one.output()).not.toContain('notifications');
    });
  },
);
