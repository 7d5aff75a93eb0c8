import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { layEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { openPgliteStore } from '../src/store/open-store.ts';
import type { StatementWatch } from '../src/store/statements/watched-statements.ts';
import type { Store } from '../src/store/store.ts';

/** Opens an embedded database of a test's own that has its tables already: to make one takes three times as long. */
export async function openEmbeddedStore(watch?: StatementWatch): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'embedded-store-'));
  layEmptyDatabase(folder);
  const store = await openPgliteStore(join(folder, 'database'), watch);
  const close = async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...store, close };
}
