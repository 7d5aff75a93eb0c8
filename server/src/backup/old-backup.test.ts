import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { oldDataSettings, unpackOldData } from '@agent-platform/testing/old-data';
import { copyTemplateDatabase } from '@agent-platform/testing/template-database';
import { afterAll, describe, expect, it } from 'vitest';
import { makeInstallation, statusOf } from '../../testing/installation.ts';
import { sendRequest } from '../../testing/test-server.ts';

const old = unpackOldData('backup');
const copy = await copyTemplateDatabase();
const shelf = { PLATFORM_BACKUP_DIR: join(old.folder, 'backups') };
const installation = makeInstallation({ ...oldDataSettings, ...shelf, ...copy.environment });
afterAll(async () => {
  await installation.remove();
  await copy.drop();
});

describe('a backup of format 1 with the schema of version 0.1.0', () => {
  it('is restored by this version, with its files, tokens and journal', async () => {
    mkdirSync(installation.dataDir, { mode: 0o700 });
    copyFileSync(join(old.folder, 'backup.key'), join(installation.dataDir, 'backup.key'));
    const restored = (await installation.operator('backup', 'restore', 'newest', '--json')).json();
    expect(restored).toMatchObject({
      ...{ rows: 191, files: 3, journal: { replayed: 1, gaps: [] }, ledger_faults: 0, missing_files: [] },
    });
    const { url } = await installation.start();
    const { dave, ...others } = old.agents;
    expect(await statusOf(url, dave.token)).toBe(403);
    for (const { token, availableMinor, reservedMinor } of Object.values(others)) {
      const { body } = await sendRequest(url, 'GET', '/api/v1/wallet', { token });
      expect(body['wallet']).toMatchObject({ available_minor: availableMinor, reserved_minor: reservedMinor });
    }
  });
});
