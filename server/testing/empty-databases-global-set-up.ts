import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { emptyDatabaseVariable } from '@agent-platform/testing/embedded-database';
import { postgresUrlVariable } from '@agent-platform/testing/postgres-global-set-up';
import { createDatabase, templateDatabaseVariable } from '@agent-platform/testing/template-database';
import { openPgliteStore, openPostgresStore } from '../src/store/open-store.ts';
import type { Store } from '../src/store/store.ts';

let folder: string | undefined;

/**
 * Makes two databases with empty tables that tests copy: an embedded one for `copyEmptyDatabase`, and one on PostgreSQL
 * for `copyTemplateDatabase`. Environment variables pass their locations to the test processes.
 */
export async function setup(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'empty-database-'));
  const place = join(folder, 'database');
  await makeTables(await openPgliteStore(place));
  process.env[emptyDatabaseVariable] = place;

  const { url } = await createDatabase(process.env[postgresUrlVariable] ?? '', 'template0');
  await makeTables(await openPostgresStore(url, () => undefined));
  process.env[templateDatabaseVariable] = url;
}

/** Removes the embedded database; the other one is removed with its PostgreSQL server. */
export async function teardown(): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}

async function makeTables(store: Store): Promise<void> {
  await store.migrate();
  await store.close();
}
