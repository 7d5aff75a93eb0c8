import { chmodSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { layEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { expect, it } from 'vitest';
import { readSettings } from '../platform/settings/settings.ts';
import { openConfiguredStore } from './store-setup.ts';

it('closes an embedded database to other users that an earlier version left open', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'store-setup-'));
  layEmptyDatabase(dataDir);
  chmodSync(join(dataDir, 'database'), 0o755);
  const store = await openConfiguredStore(readSettings({ PLATFORM_DATA_DIR: dataDir }), () => undefined);

  expect(statSync(join(dataDir, 'database')).mode & 0o777).toBe(0o700);
  await store.close();
  rmSync(dataDir, { recursive: true });
});

it('is open when a new embedded database is created, however long that takes', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'store-setup-'));
  const store = await openConfiguredStore(readSettings({ PLATFORM_DATA_DIR: dataDir }), () => undefined);

  expect(existsSync(join(dataDir, 'database', 'PG_VERSION'))).toBe(true);
  await store.close();
  rmSync(dataDir, { recursive: true });
});
