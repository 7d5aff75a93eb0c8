import { expect, it } from 'vitest';
import { ArrivingUploads } from './arrival-commands.ts';
import { CheckTurns } from './check-turn-commands.ts';
import { type CheckParts, checkAndStore } from './upload-check-commands.ts';

it('gives the place of an upload whose file is being checked to no other agent', async () => {
  const uploads = new ArrivingUploads({ all: 2, perAgent: 2, perAddress: 0 });
  const [arriving, checked] = [await uploads.enter('ann', 'a'), await uploads.enter('ann', 'a')];
  const inspect = async () => {
    await uploads.enter('bob', 'b');
    throw new Error('inspected');
  };
  const turns = new CheckTurns({ take: async () => 'taken', release: async () => undefined }, 0);
  const parts = { turns, inspectors: { inspect } } as unknown as CheckParts;
  const incoming = { file: '', preview: '', discard: async () => undefined };
  const hashes = { sha256: '', sentSha256: '' };
  const upload = { id: '1', ownerId: 'ann', purpose: 'avatar', ...hashes, bytes: 1, filename: '' } as const;
  const checking = checkAndStore(parts, { ...upload, incoming, written: Promise.resolve() }, checked);

  await expect(checking).rejects.toThrow('inspected');
  expect([arriving.signal.aborted, checked.signal.aborted]).toEqual([true, false]);
});
