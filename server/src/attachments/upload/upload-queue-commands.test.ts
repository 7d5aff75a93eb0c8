import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Refusal } from '../../platform/refusal.ts';
import { UploadQueue } from './upload-queue-commands.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const openQueue = (arrivingUploads: number) =>
  new UploadQueue(
    {
      arrivingUploads,
      arrivingUploadsPerAgent: arrivingUploads,
      arrivingUploadsPerAddress: 0,
      uploadChecksPerInstance: 0,
    },
    { take: async () => 'taken', release: async () => undefined },
  );
const busy = expect.objectContaining({ code: 'upload_busy' });
/** Runs all callbacks that are due. */
const settle = () => vi.advanceTimersByTimeAsync(0);

/** Whether another upload by the agent gets a slot immediately. */
async function hasSlot(uploads: UploadQueue, ownerId: string): Promise<boolean> {
  let isEntered = false;
  void uploads.enter(ownerId, ownerId).then(() => {
    isEntered = true;
  });
  await settle();
  return isEntered;
}

it('ends the newest upload of an agent when another agent gets its slot', async () => {
  const uploads = openQueue(2);
  const [oldest, newest] = [await uploads.enter('ann', 'a'), await uploads.enter('ann', 'a')];
  await uploads.enter('bob', 'b');

  expect(newest.signal.reason).toEqual(busy);
  expect(oldest.signal.aborted).toBe(false);
  expect(await hasSlot(uploads, 'cid')).toBe(false);
});

it('ends no upload whose file is being checked, and refuses an upload that has waited for 4 s', async () => {
  const uploads = openQueue(2);
  const held = [await uploads.enter('ann', 'a'), await uploads.enter('ann', 'a')];
  for (const [id, upload] of held.entries()) void upload.check(String(id), () => new Promise(() => {}));
  await settle();
  const refused = expect(uploads.enter('bob', 'b')).rejects.toEqual(busy);
  for (const upload of held) upload.end(new Refusal('request_timeout', 'late'));
  await vi.advanceTimersByTimeAsync(4_000);
  await refused;

  expect(held.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  held[0]?.leave();
  // The refused upload no longer occupies a slot.
  expect(await hasSlot(uploads, 'cid')).toBe(true);
});

it('assigns a free slot to the waiting agent with the fewest slots', async () => {
  const uploads = openQueue(2);
  const [, leaving] = [await uploads.enter('ann', 'a'), await uploads.enter('bob', 'b')];
  const entered: string[] = [];
  for (const owner of ['ann', 'cid']) void uploads.enter(owner, owner).then(() => entered.push(owner));
  await settle();
  expect(entered).toEqual([]);
  leaving.leave();
  await settle();

  expect(entered).toEqual(['cid']);
});

it('lets 16 uploads of an agent wait, and 256 in all', async () => {
  const uploads = openQueue(1);
  await uploads.enter('first', 'a');
  const refused: string[] = [];
  const wait = (owner: string, count: number) => {
    for (let made = 0; made < count; made += 1) uploads.enter(owner, owner).catch(() => refused.push(owner));
  };
  wait('ann', 17);
  for (let agent = 0; agent < 15; agent += 1) wait(`agent ${agent}`, 16);
  await settle();
  expect(refused).toEqual(['ann']);
  wait('late', 1);
  await settle();

  expect(refused).toEqual(['ann', 'late']);
});
