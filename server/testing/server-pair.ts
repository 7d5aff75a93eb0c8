import { freshDatabase } from '@agent-platform/testing';
import { afterAll, beforeAll, inject } from 'vitest';
import { startTestServer, type TestServer } from './test-server.ts';

/**
 * Starts two servers on one PostgreSQL for the tests of a file, as two processes of one installation, and stops them
 * afterwards.
 *
 * @example
 * let one: TestServer;
 * let other: TestServer;
 * useServerPair((...servers) => {
 *   [one, other] = servers;
 * });
 */
export function useServerPair(
  started: (one: TestServer, other: TestServer) => void,
  env: Readonly<Record<string, string>> = {},
): void {
  const running: TestServer[] = [];
  beforeAll(async () => {
    const url = await freshDatabase(inject('postgresUrl'));
    const one = await startTestServer(env, url);
    const other = await startTestServer(env, url);
    running.push(one, other);
    started(one, other);
  });
  afterAll(async () => {
    for (const server of running) await server.close();
  });
}
