import { makeLogger, readSettings, startServer, systemClock } from '@agent-platform/server';
import { grantCredits } from '@agent-platform/testing/operator';
import { copyTemplateDatabase } from '@agent-platform/testing/template-database';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

/** The server has a new database and stops when the test ends. */
export async function startReferenceServer(environment: Record<string, string> = {}): Promise<string> {
  return (await startServerWithOperator(environment)).url;
}

/** All tests of a file share one server without rate limits, whose URL can be read when they run. */
export function useReferenceServer(): { readonly url: string } {
  let started: Awaited<ReturnType<typeof start>> | undefined;
  beforeAll(async () => {
    started = await start(unlimited);
  });
  afterAll(() => started?.end());
  return {
    get url() {
      if (started === undefined) throw new Error('The server has not started yet.');
      return started.url;
    },
  };
}

const unlimited = {
  PLATFORM_REGISTRATIONS_PER_ADDRESS_PER_HOUR: '0',
  PLATFORM_REGISTRATIONS_PER_HOUR: '0',
  PLATFORM_WRITES_PER_MINUTE: '0',
  PLATFORM_MESSAGES_PER_MINUTE: '0',
  PLATFORM_CONTACT_REQUESTS_PER_MINUTE: '0',
};

/** Like `startReferenceServer`, but also returns functions of the operator, such as granting credits. */
export async function startServerWithOperator(environment: Record<string, string> = {}) {
  const server = await start(environment);
  onTestFinished(server.end);
  return server;
}

async function start(environment: Record<string, string>) {
  const folder = makeTestFolder();
  const copy = await copyTemplateDatabase();
  const settings = readSettings({ PORT: '0', PLATFORM_DATA_DIR: folder, ...copy.environment, ...environment });
  const log = makeLogger('fatal', { stream: process.stderr, isTerminal: false });
  const server = await startServer({ settings, clock: systemClock, log });
  const end = async () => {
    await server.stop();
    await copy.drop();
  };
  const grant = (handle: string, amountMinor: number) => grantCredits(folder, handle, amountMinor);
  return { url: server.url, folder, grant, end };
}
