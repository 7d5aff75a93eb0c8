import { randomUUID } from 'node:crypto';
import { scaleRepetitions } from '@agent-platform/testing';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectNoDeadlocks } from '../../../testing/locks.ts';
import { useServerPair } from '../../../testing/server-pair.ts';
import type { TestServer } from '../../../testing/test-server.ts';
import type { FileQuota } from '../quota.ts';
import {
  abandonUpload,
  claimUpload,
  finishUpload,
  openSharedCheckSlots,
  rejectUpload,
  releaseUpload,
  type UploadClaimResult,
} from './reservation-commands.ts';

let one: TestServer;
let other: TestServer;
useServerPair((...pair) => {
  [one, other] = pair;
});

const rounds = scaleRepetitions(5);
const uploads = 60;
const reservedBytes = 1_000_000;
// The leases end after the test, so that the sweeps of the servers do not release these reservations.
const leaseEndsAt = new Date(Date.now() + 3_600_000);
const afterLease = new Date(leaseEndsAt.getTime() + 1);
const unlimited = { files: 0, bytes: 0, records: 0 };
const file = {
  sha256: 'a'.repeat(64),
  sent_sha256: 'a'.repeat(64),
  filename: 'a file',
  media_type: 'image/jpeg',
  size_bytes: 70_000,
  width: 10,
  height: 10,
  page_count: null,
  preview_sha256: 'b'.repeat(64),
  preview_size_bytes: 900,
  preview_width: 10,
  preview_height: 10,
};

const storeOf = (index: number) => (index % 2 === 0 ? one : other).store;

async function tryToClaim(
  index: number,
  ownerId: string,
  own: FileQuota,
  uploadId = randomUUID(),
): Promise<UploadClaimResult> {
  const claim = { ownerId, uploadId, purpose: 'order' as const, reservedBytes, leaseEndsAt, now: new Date() };
  return await storeOf(index).transact((writer) => claimUpload(writer, { own, all: unlimited }, claim));
}

async function claim(index: number, ownerId: string): Promise<string> {
  const claimed = await tryToClaim(index, ownerId, unlimited);
  if (claimed.kind !== 'claimed') throw new Error(`A claim without limits ended as ${claimed.kind}.`);
  return claimed.id;
}

const oneEach = <Value>(make: (index: number) => Promise<Value>) =>
  Promise.all(Array.from({ length: uploads }, (_, index) => make(index)));

/** Computes the usage of each agent and the total from the `attachments` table. */
const counted = sql<{ key: string; files: number; bytes: string; records: number }>`
  select coalesce(owner_id::text, 'all') as key,
         count(*) filter (where state in ('receiving', 'checking', 'ready'))::int as files,
         coalesce(sum(reserved_bytes + coalesce(size_bytes, 0) + coalesce(preview_size_bytes, 0)), 0)::text as bytes,
         count(*)::int as records
  from attachments group by grouping sets ((owner_id), ()) order by key`;
const kept = sql<{ key: string; files: number; bytes: string; records: number }>`
  select key, files, bytes::text, records from file_usage order by key`;

async function expectExactUsage(): Promise<void> {
  await one.store.read(async (reader) => {
    expect((await kept.execute(reader)).rows).toEqual((await counted.execute(reader)).rows);
  });
}

afterEach(() => expectNoDeadlocks(one.store));

it('counts the usage correctly while uploads of two agents begin and end on two servers', async () => {
  const owners = [await one.register('alice'), await one.register('bob')].map(({ id }) => id);
  const ownerOf = (index: number) => owners[Math.floor(index / 2) % owners.length] ?? '';
  for (let round = 0; round < rounds; round += 1) {
    const ids = await oneEach((index) => claim(index, ownerOf(index)));

    // All ways to end an upload run concurrently, and some of them on the same upload.
    const finished = await Promise.all(
      ids.flatMap((id, index) => {
        const ownerId = ownerOf(index);
        const finish = async (store = storeOf(index)) => (await finishUpload(store, id, ownerId, file))?.state;
        const ends: (() => Promise<unknown>)[] = [
          () => storeOf(index).transact((writer) => rejectUpload(writer, id, ownerId)),
          () => storeOf(index).transact((writer) => releaseUpload(writer, id, ownerId)),
          () => storeOf(index).transact((writer) => abandonUpload(writer, id, ownerId, afterLease)),
          () => finish(storeOf(index + 1)),
          () => claim(index, ownerId),
        ];
        return [finish(), ends[index % ends.length]?.()];
      }),
    );

    expect(finished.filter((state) => state === 'ready').length).toBeGreaterThan(0);
    await expectExactUsage();
  }
});

it.each([
  { what: 'files', quota: { ...unlimited, files: 7 }, code: 'storage_quota_exceeded' },
  { what: 'bytes', quota: { ...unlimited, bytes: 8 * reservedBytes - 1 }, code: 'storage_quota_exceeded' },
  { what: 'records', quota: { ...unlimited, records: 7 }, code: 'storage_record_limit' },
])('accepts exactly as many parallel uploads as the quota of $what allows', async ({ what, quota, code }) => {
  const { id: ownerId } = await one.register(`limited_${what}`);

  const claims = await oneEach((index) => tryToClaim(index, ownerId, quota));

  const refused = { kind: 'short', shortage: { code, whose: 'own' } };
  expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(7);
  expect(claims.filter(({ kind }) => kind !== 'claimed')).toEqual(Array(uploads - 7).fill(refused));
  await expectExactUsage();
});

it('reserves quota for one of several concurrent duplicates, and reports the others as known', async () => {
  const { id: ownerId } = await one.register('pair');
  const uploadId = randomUUID();

  const claims = await oneEach((index) => tryToClaim(index, ownerId, { ...unlimited, files: 1 }, uploadId));

  expect(claims.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
  expect(claims.filter(({ kind }) => kind === 'known')).toHaveLength(uploads - 1);
  await expectExactUsage();
});

describe('the checking slots', () => {
  const slotsMax = 2;
  const slotsOf = (index: number) =>
    openSharedCheckSlots(storeOf(index), () => new Date(), { uploadChecks: slotsMax, uploadChecksPerInstance: 0 });
  const take = (index: number, file: { readonly id: string; readonly ownerId: string }, mayBeFurther = true) =>
    slotsOf(index).take(file, mayBeFurther);

  // Ends the uploads of the tests above, so that they do not occupy slots.
  beforeEach(async () => {
    await one.store.transact((writer) => writer.updateTable('attachments').set({ state: 'rejected' }).execute());
  });

  it('are two, even if 60 agents try to take one in parallel', async () => {
    const files = await oneEach(async (index) => {
      const { id: ownerId } = await one.register(`slot_${index}`);
      return { id: await claim(index, ownerId), ownerId };
    });

    const outcomes = await oneEach((index) => take(index, files[index] ?? { id: '', ownerId: '' }));

    expect(outcomes.filter((outcome) => outcome === 'taken')).toHaveLength(slotsMax);
    expect(outcomes.filter((outcome) => outcome === 'full')).toHaveLength(uploads - slotsMax);
  });

  it('are limited to one per agent while another agent has an unfinished upload', async () => {
    const [ann, bob] = [(await one.register('slot_ann')).id, (await one.register('slot_bob')).id];
    const [first, second] = [
      { id: await claim(0, ann), ownerId: ann },
      { id: await claim(1, ann), ownerId: ann },
    ];
    expect(await take(0, first)).toBe('taken');
    expect(await take(1, second, false)).toBe('reserved');
    expect(await take(1, second)).toBe('taken-extra');
    await slotsOf(1).release(second.id);

    const others = { id: await claim(0, bob), ownerId: bob };
    expect(await take(1, second)).toBe('reserved');
    expect(await take(0, others)).toBe('taken');
    expect(await take(1, second)).toBe('full');
  });

  it('are neither used nor reserved by uploads whose process has ended', async () => {
    const [ann, bob] = [(await one.register('gone_ann')).id, (await one.register('gone_bob')).id];
    const upload = async (index: number, ownerId: string) => ({ id: await claim(index, ownerId), ownerId });
    const [first, second, third] = [await upload(0, ann), await upload(1, ann), await upload(0, ann)];
    const others = await upload(1, bob);
    const endLease = ({ id }: { readonly id: string }) =>
      one.store.transact((writer) =>
        writer
          .updateTable('attachments')
          .set({ lease_expires_at: new Date(0) })
          .where('id', '=', id)
          .execute(),
      );
    expect(await take(0, first)).toBe('taken');
    expect(await take(1, second)).toBe('reserved');
    await endLease(others);
    expect(await take(1, second)).toBe('taken-extra');
    expect(await take(0, third)).toBe('full');
    await endLease(first);
    expect(await take(0, third)).toBe('taken-extra');
  });
});
