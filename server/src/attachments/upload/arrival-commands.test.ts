import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Refusal } from '../../platform/refusal.ts';
import { ArrivingUploads } from './arrival-commands.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const busy = expect.objectContaining({ code: 'upload_busy' });
/** What is due by then has happened. */
const settle = () => vi.advanceTimersByTimeAsync(0);

/** Whether a further upload of an agent has a place at once. */
async function isAdmitted(uploads: ArrivingUploads, ownerId: string): Promise<boolean> {
  let isEntered = false;
  void uploads.enter(ownerId, ownerId).then(() => {
    isEntered = true;
  });
  await settle();
  return isEntered;
}

it('ends the newest upload of an agent whose place another agent takes', async () => {
  const uploads = new ArrivingUploads({ all: 2, perAgent: 2, perAddress: 0 });
  const [oldest, newest] = [await uploads.enter('ann', 'a'), await uploads.enter('ann', 'a')];
  await uploads.enter('bob', 'b');

  expect(newest.signal.reason).toEqual(busy);
  expect(oldest.signal.aborted).toBe(false);
  expect(await isAdmitted(uploads, 'cid')).toBe(false);
});

it('ends no upload whose file is being checked, and lets none wait for longer than 4 s', async () => {
  const uploads = new ArrivingUploads({ all: 2, perAgent: 2, perAddress: 0 });
  const held = [await uploads.enter('ann', 'a'), await uploads.enter('ann', 'a')];
  for (const upload of held) upload.hold();
  const refused = expect(uploads.enter('bob', 'b')).rejects.toEqual(busy);
  for (const upload of held) upload.end(new Refusal('request_timeout', 'late'));
  await vi.advanceTimersByTimeAsync(4_000);
  await refused;

  expect(held.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  held[0]?.leave();
  // The refused upload takes no place any more.
  expect(await isAdmitted(uploads, 'cid')).toBe(true);
});

it('gives a free place to the waiting agent with the fewest', async () => {
  const uploads = new ArrivingUploads({ all: 2, perAgent: 2, perAddress: 0 });
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
  const uploads = new ArrivingUploads({ all: 1, perAgent: 1, perAddress: 0 });
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
