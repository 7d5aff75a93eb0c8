import { expect, it } from 'vitest';
import { checkAndStoreFile, type FileCheckDependencies } from './upload-check-commands.ts';
import { UploadQueue } from './upload-queue-commands.ts';

it('gives the slot of an upload whose file is being checked to no other agent', async () => {
  const limits = {
    arrivingUploads: 2,
    arrivingUploadsPerAgent: 2,
    arrivingUploadsPerAddress: 0,
    uploadChecksPerInstance: 0,
  };
  const uploads = new UploadQueue(limits, { take: async () => 'taken', release: async () => undefined });
  const [arriving, checked] = [await uploads.enter('ann', 'a'), await uploads.enter('ann', 'a')];
  const inspect = async () => {
    await uploads.enter('bob', 'b');
    throw new Error('inspected');
  };
  const parts = { inspectors: { inspect } } as unknown as FileCheckDependencies;
  const incoming = { file: '', preview: '', discard: async () => undefined };
  const hashes = { sha256: '', sentSha256: '' };
  const upload = { id: '1', ownerId: 'ann', purpose: 'avatar', ...hashes, bytes: 1, filename: '' } as const;
  const checking = checkAndStoreFile(parts, { ...upload, incoming, written: Promise.resolve() }, checked);

  await expect(checking).rejects.toThrow('inspected');
  expect([arriving.signal.aborted, checked.signal.aborted]).toEqual([true, false]);
});
