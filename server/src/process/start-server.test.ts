import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeInstallationsOnOneDatabase } from '../../testing/installation.ts';

let shared: Awaited<ReturnType<typeof makeInstallationsOnOneDatabase>>;
beforeEach(async () => {
  shared = await makeInstallationsOnOneDatabase();
});
afterEach(() => shared.remove());

describe('a storage that cannot be written', () => {
  it('stops the start, and later makes the server not ready', async () => {
    const installation = shared.install();
    // Stands in the way of what is written to try it, for every user.
    const obstacle = join(installation.dataDir, 'files', '.probe');
    mkdirSync(obstacle, { recursive: true, mode: 0o700 });
    await expect(installation.start()).rejects.toThrow(/file storage .*files cannot be written.*PLATFORM_STORAGE_URL/);

    renameSync(obstacle, `${obstacle}.gone`);
    const { url } = await installation.start();
    expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    renameSync(join(installation.dataDir, 'files'), join(installation.dataDir, 'moved'));
    writeFileSync(join(installation.dataDir, 'files'), '');
    expect((await fetch(`${url}/health/ready`)).status).toBe(503);
  });
});
