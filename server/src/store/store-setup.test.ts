import { chmodSync, existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyEmptyDatabase } from '@agent-platform/testing/embedded-database';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';
import { readSettings } from '../platform/settings/settings.ts';
import { beginNewDatabase, embeddedDatabasePaths, replaceEmbeddedDatabase } from './embedded/database-folder.ts';
import { openConfiguredStore } from './store-setup.ts';

it('closes an embedded database to other users that an earlier version left open', async () => {
  const dataDir = makeTestFolder();
  copyEmptyDatabase(dataDir);
  chmodSync(join(dataDir, 'database'), 0o755);
  const store = await openConfiguredStore(readSettings({ PLATFORM_DATA_DIR: dataDir }), () => undefined);

  expect(statSync(join(dataDir, 'database')).mode & 0o777).toBe(0o700);
  await store.close();
});

it('opens a new embedded database, however long its creation takes', async () => {
  const dataDir = makeTestFolder();
  const store = await openConfiguredStore(readSettings({ PLATFORM_DATA_DIR: dataDir }), () => undefined);

  expect(existsSync(join(dataDir, 'database', 'PG_VERSION'))).toBe(true);
  await store.close();
});

it('recreates a database whose creation was killed, and keeps one that was restored in its place', async () => {
  const dataDir = makeTestFolder();
  const { current, restoring } = embeddedDatabasePaths(dataDir);
  const open = () => openConfiguredStore(readSettings({ PLATFORM_DATA_DIR: dataDir }), () => undefined);
  const leaveUnfinished = () => {
    beginNewDatabase(current);
    for (const name of ['PG_VERSION', 'half']) writeFileSync(join(current, name), '');
  };
  leaveUnfinished();
  await (await open()).close();
  expect(existsSync(join(current, 'half'))).toBe(false);

  renameSync(current, restoring);
  writeFileSync(join(restoring, 'restored'), '');
  leaveUnfinished();
  await replaceEmbeddedDatabase(dataDir);
  await (await open()).close();
  expect(existsSync(join(current, 'restored'))).toBe(true);
});

it('states that files of a new database cannot be created', async () => {
  const dataDir = makeTestFolder();
  mkdirSync(join(dataDir, 'database'));
  writeFileSync(join(dataDir, 'database', 'base'), '');
  const opening = openConfiguredStore(readSettings({ PLATFORM_DATA_DIR: dataDir }), () => undefined);

  await expect(opening).rejects.toThrow(/database cannot be used .*Check the disk and its free space/);
});
