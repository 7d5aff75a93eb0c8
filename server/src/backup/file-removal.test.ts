import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshDatabase } from '@agent-platform/testing';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { realFile } from '../../testing/files/real-files.ts';
import { uploadFile } from '../../testing/scenarios/upload.ts';
import { day, startTestServer, type TestServer } from '../../testing/test-server.ts';
import { removeOldFiles } from '../attachments/file-retention-commands.ts';
import { folderStorage } from '../files/folder-storage.ts';
import { fileRemovalLock, fileRemovalTurn } from '../store/advisory-locks.ts';
import { openPostgresBulk } from '../store/bulk-session.ts';

const folder = mkdtempSync(join(tmpdir(), 'file-removal-'));
let url: string;
let server: TestServer;
beforeAll(async () => {
  url = await freshDatabase(inject('postgresUrl'));
  server = await startTestServer({ PLATFORM_DATA_DIR: folder }, url);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('an expired file', () => {
  it('stays until the backup that copies files has ended, in this process or another', async () => {
    const { token } = await server.register('alice');
    expect((await uploadFile(server.url, token, { file: realFile('upright.jpg') })).status).toBe(201);
    const terms = { unattachedFileHours: 24, detachedFileDays: 30 };
    const parts = { store: server.store, storage: folderStorage(join(folder, 'files')), terms };
    const remove = () => removeOldFiles(parts, new Date(Date.now() + 2 * day));

    const release = server.store.held.hold(fileRemovalTurn);
    expect(await remove()).toBe(0);
    release();
    const other = await openPostgresBulk(url);
    await other.query('select pg_advisory_lock($1)', [fileRemovalLock]);
    expect(await remove()).toBe(0);
    await other.close();
    expect(await remove()).toBe(1);
  });
});
