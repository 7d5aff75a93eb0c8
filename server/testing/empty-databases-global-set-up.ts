import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { emptyDatabaseVariable } from '@agent-platform/testing/embedded-database';
import { openPgliteStore } from '../src/store/open-store.ts';

let folder: string | undefined;

/** Makes the one database, with its tables and nothing in them, that `layEmptyDatabase` copies. The processes of the tests inherit where it is. */
export async function setup(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'empty-database-'));
  const place = join(folder, 'database');
  const store = await openPgliteStore(place);
  await store.migrate();
  await store.close();
  process.env[emptyDatabaseVariable] = place;
}

/** Removes it. */
export async function teardown(): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}
