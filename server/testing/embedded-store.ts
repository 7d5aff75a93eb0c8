import { join } from 'node:path';
import { copyEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { openPgliteStore } from '../src/store/open-store.ts';
import type { StatementWatch } from '../src/store/statements/watched-statements.ts';
import type { Store } from '../src/store/store.ts';

/** Copies a database that already has its tables, because creating them takes three times as long. */
export async function openEmbeddedStore(watch?: StatementWatch): Promise<Store> {
  const folder = makeTestFolder();
  copyEmptyDatabase(folder);
  return await openPgliteStore(join(folder, 'database'), watch);
}
