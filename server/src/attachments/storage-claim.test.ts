import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readRealFile } from '../../testing/files/real-files.ts';
import { type Installation, makeInstallationsSharingDatabase, register } from '../../testing/installation.ts';
import { uploadFile } from '../../testing/scenarios/upload.ts';
import { makeFolderStorage } from '../files/folder-storage.ts';
import { openPostgresStore } from '../store/open-store.ts';
import { claimStorage, ForeignStorage } from './storage-claim-commands.ts';

let shared: Awaited<ReturnType<typeof makeInstallationsSharingDatabase>>;
beforeEach(async () => {
  shared = await makeInstallationsSharingDatabase();
});
afterEach(() => shared.remove());

describe('the storage of a PostgreSQL database', () => {
  const storageIn = ({ dataDir }: Installation) => join(dataDir, 'files');
  const photo = readRealFile('upright.jpg');

  async function startWithFile(installation: Installation) {
    const server = await installation.start();
    const { token } = await register(server.url, 'alice');
    const { body } = await uploadFile(server.url, token, { file: photo });
    return { ...server, token, fileId: String(body['attachment']?.['id']) };
  }

  it('is the same for all servers: one with another folder does not start', async () => {
    const first = shared.install();
    await first.start();
    const other = shared.install();
    const id = readFileSync(join(storageIn(first), 'storage-id'), 'utf8').trim();

    await expect(other.start()).rejects.toThrow(new RegExp(`id ${id}; .*has no storage-id.*PLATFORM_STORAGE_URL`));
    expect(await other.operator('retention', 'run')).toMatchObject({ exitCode: 1, err: expect.stringContaining(id) });
    const sharing = shared.install({ PLATFORM_STORAGE_URL: `file://${storageIn(first)}` });
    await sharing.start();
    writeFileSync(join(storageIn(other), 'storage-id'), 'another');
    await expect(other.start()).rejects.toThrow(/has the storage-id another/);
    writeFileSync(join(storageIn(other), 'storage-id'), id);
    await other.start();
  });

  it.each([
    ['one of 50 folders', 1, (index: number) => `files-${index}`],
    ['the folder that 50 share', 50, () => 'files'],
  ])('is claimed by first starts at the same moment for %s', async (_, claimed, nameOf) => {
    const { dataDir, env } = shared.install();
    const store = await openPostgresStore(env['DATABASE_URL'] ?? '', () => undefined);
    const claims = Array.from({ length: 50 }, (_, index) =>
      claimStorage(store, makeFolderStorage(join(dataDir, nameOf(index)))),
    );
    const outcomes = await Promise.allSettled(claims);
    await store.close();

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(claimed);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(ForeignStorage);
  });

  it('is not claimed by a start that cannot write its id', async () => {
    const { dataDir, env } = shared.install();
    const store = await openPostgresStore(env['DATABASE_URL'] ?? '', () => undefined);
    const storage = makeFolderStorage(join(dataDir, 'files'));
    const full = { ...storage, writeId: () => Promise.reject(new Error('full')) };
    await expect(claimStorage(store, full)).rejects.toThrow('full');
    await claimStorage(store, makeFolderStorage(join(dataDir, 'other')));
    await store.close();
  });

  it('is known by its files when it is from before there were ids', async () => {
    const old = shared.install();
    const { store, stop } = await startWithFile(old);
    await store.transact((writer) => writer.deleteFrom('platform_facts').where('name', '=', 'storage').execute());
    await stop();
    renameSync(join(storageIn(old), 'storage-id'), join(old.dataDir, 'former-id'));

    await expect(shared.install().start()).rejects.toThrow(/refers to files, but .* contains none of them.*storage-id/);
    await old.start();
    expect(readdirSync(storageIn(old))).toContain('storage-id');
  });

  it('is compared with the database by doctor, file by file', async () => {
    const installation = shared.install();
    const { fileId } = await startWithFile(installation);
    const inspectFiles = async () =>
      (await installation.operator('doctor')).out.split('\n').filter((line) => /^\w+ +(extra )?files /.test(line));
    expect(await inspectFiles()).toEqual([expect.stringMatching(/^ok {4}files .* has all 2 file\(s\)/)]);

    const folder = join(storageIn(installation), fileId.slice(-2));
    const stranger = `${fileId.slice(0, -4)}0000.original`;
    mkdirSync(join(storageIn(installation), '00'), { recursive: true });
    renameSync(join(folder, `${fileId}.preview`), join(storageIn(installation), '00', stranger));
    expect((await inspectFiles()).join('\n')).toMatch(
      new RegExp(
        `^fail {2}files .*lacks 1 file\\(s\\) \\(${fileId}.preview\\) of 2[^]*warn {2}extra files .*${stranger}`,
      ),
    );
  });
});
