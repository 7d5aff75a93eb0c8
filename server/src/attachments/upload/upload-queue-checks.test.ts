import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { InspectionAborted } from '../../inspection/inspector-process.ts';
import type { ShortInspectionLimits } from '../../inspection/inspectors.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type SharedCheckSlots, UploadQueue } from './upload-queue-commands.ts';

const unlimited = { arrivingUploads: 0, arrivingUploadsPerAgent: 0, arrivingUploadsPerAddress: 0 };

afterEach(() => {
  vi.useRealTimers();
});

/** Simulates two checking slots in the database. If an agent has both, the second one is an extra slot. */
function makeSlots(): SharedCheckSlots {
  const taken: { readonly id: string; readonly ownerId: string }[] = [];
  const release = async (released: string) => {
    const at = taken.findIndex(({ id }) => id === released);
    if (at !== -1) taken.splice(at, 1);
  };
  return {
    release,
    take: async (file, mayBeFurther) => {
      const isFurther = taken.some(({ ownerId }) => ownerId === file.ownerId);
      if (taken.length >= 2) return 'full';
      if (isFurther && !mayBeFurther) return 'reserved';
      taken.push(file);
      return isFurther ? 'taken-extra' : 'taken';
    },
  };
}

/** The checks of this queue end on demand. */
function makeChecks(uploadChecksPerInstance = 0) {
  const slots = makeSlots();
  const queue = new UploadQueue({ ...unlimited, uploadChecksPerInstance }, slots);
  const started: string[] = [];
  let made = 0;
  let cut = () => {};
  const check = (ownerId: string) => {
    made += 1;
    const id = `${ownerId} ${made}`;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const work = async (brief?: ShortInspectionLimits) => {
      started.push(brief === undefined ? id : `${id} within ${brief.withinMs}`);
      const limit = Promise.withResolvers<never>();
      if (brief !== undefined) cut = () => limit.reject(new InspectionAborted('after two seconds'));
      brief?.signal.addEventListener('abort', () => limit.reject(brief.signal.reason));
      const done = await Promise.race([promise, limit.promise]);
      // Finishing an upload releases its slot; the queue itself only releases the slot of an interrupted upload.
      await slots.release(id);
      return done;
    };
    const entered = queue.enter(ownerId, '');
    const answered = entered.then((upload) => upload.check(id, work));
    answered.catch(() => undefined);
    return { entered, answered, end: () => resolve('done'), fail: reject };
  };
  return { check, started, slots, cut: () => cut() };
}

it('starts files while there are slots, and the next one when a check ends', async () => {
  const { check, started } = makeChecks();
  const [ann, bob] = [check('ann'), check('bob')];
  check('cid');
  await expect.poll(() => started).toEqual(['ann 1', 'bob 2']);
  ann.end();

  // The next check does not wait for the retry interval.
  expect(await ann.answered).toBe('done');
  await setImmediate();
  expect(started).toEqual(['ann 1', 'bob 2', 'cid 3']);
  bob.end();
});

it('finds a slot that another instance has released', async () => {
  const { check, started, slots } = makeChecks();
  const elsewhere = { id: 'elsewhere', ownerId: 'bob' };
  for (const ownerId of ['bob', 'cid']) await slots.take({ ...elsewhere, ownerId }, false);
  check('ann');
  await setImmediate();
  expect(started).toEqual([]);
  await slots.release(elsewhere.id);

  await expect.poll(() => started).toEqual(['ann 1']);
});

it('prefers the agent whose checks took the least time', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { check, started } = makeChecks(1);
  const first = check('ann');
  await expect.poll(() => started).toEqual(['ann 1']);
  vi.advanceTimersByTime(3_000);
  for (const ownerId of ['ann', 'bob']) check(ownerId);
  first.end();

  await expect.poll(() => started).toEqual(['ann 1', 'bob 3']);
});

it('refuses a file that has waited for 5 s', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { check } = makeChecks(1);
  check('ann');
  const refused = expect(check('bob').answered).rejects.toMatchObject({ code: 'upload_busy' });
  await vi.advanceTimersByTimeAsync(5_000);

  await refused;
});

it('runs at most as many concurrent checks as this instance may', async () => {
  const { check, started } = makeChecks(1);
  const ann = check('ann');
  check('bob');
  // The simulated slots respond immediately, so every check that can start has started now.
  await setImmediate();
  expect(started).toEqual(['ann 1']);
  ann.end();

  await expect.poll(() => started).toEqual(['ann 1', 'bob 2']);
});

it('cuts an extra check short, after which the file waits for the regular slot of its agent', async () => {
  const { check, started, cut } = makeChecks();
  const first = check('ann');
  const extra = check('ann');
  await expect.poll(() => started).toEqual(['ann 1', 'ann 2 within 2000']);
  cut();
  await setImmediate();
  check('bob');
  await expect.poll(() => started.at(-1)).toBe('bob 3');
  first.end();

  await expect.poll(() => started).toEqual(['ann 1', 'ann 2 within 2000', 'bob 3', 'ann 2']);
  extra.end();
  expect(await extra.answered).toBe('done');
});

it('cuts an extra check short when another agent waits, but not for another file of the same agent', async () => {
  const { check, started } = makeChecks();
  const first = check('ann');
  check('ann');
  check('ann');
  await expect.poll(() => started).toEqual(['ann 1', 'ann 2 within 2000']);
  await setImmediate();
  check('bob');

  await expect.poll(() => started).toEqual(['ann 1', 'ann 2 within 2000', 'bob 4']);
  first.end();
  await expect.poll(() => started.at(-1)).toMatch(/^ann [23]$/);
});

it('starts no check of an upload that has ended, and reports a failure of the slots', async () => {
  const { check, started } = makeChecks(1);
  const ann = check('ann');
  await expect.poll(() => started).toEqual(['ann 1']);
  const bob = check('bob');
  (await bob.entered).end(new Refusal('upload_busy', 'replaced'));

  await expect(bob.answered).rejects.toThrow('replaced');
  ann.end();
  await ann.answered;
  expect(started).toEqual(['ann 1']);

  const failing: SharedCheckSlots = {
    release: async () => undefined,
    take: () => Promise.reject(new Error('no database')),
  };
  const upload = await new UploadQueue({ ...unlimited, uploadChecksPerInstance: 0 }, failing).enter('ann', '');
  await expect(upload.check('1', async () => 'done')).rejects.toThrow('no database');
});
