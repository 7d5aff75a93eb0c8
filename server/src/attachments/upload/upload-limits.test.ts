import { freshDatabase } from '@agent-platform/testing';
import { describe, expect, inject, it } from 'vitest';
import { makePng } from '../../../testing/files/image-maker.ts';
import { readRealFile } from '../../../testing/files/real-files.ts';
import { uploadFile } from '../../../testing/scenarios/upload.ts';
import { expectRefusal, minute, openTestServer, type TestServer } from '../../../testing/test-server.ts';

const photo = readRealFile('upright.jpg');
const mebibyte = 1_048_576;

async function usageOf(server: TestServer, key = 'all') {
  const row = await server.store.read((reader) =>
    reader.selectFrom('file_usage').where('key', '=', key).selectAll().executeTakeFirstOrThrow(),
  );
  return { files: row.files, bytes: Number(row.bytes), records: row.records };
}

async function countChecks(server: TestServer): Promise<number> {
  const checks = await server.store.read((reader) =>
    reader.selectFrom('attachments').where('state', '=', 'checking').select('id').execute(),
  );
  return checks.length;
}

describe('the limits of one agent', () => {
  it('refuse its uploads with a code, and refused uploads only count as records', async () => {
    const server = await openTestServer({ PLATFORM_AGENT_FILES: '2', PLATFORM_AGENT_UPLOADS: '4' });
    const { token } = await server.register('alice');
    const send = (file: Uint8Array) => uploadFile(server.url, token, { file });
    expect((await send(photo)).status).toBe(201);
    expectRefusal(await send(Buffer.from('x')), 'invalid_file');
    expect((await send(photo)).status).toBe(201);

    const overQuota = await send(photo);
    expectRefusal(overQuota, 'storage_quota_exceeded');
    const other = await server.register('bob_');
    expect((await uploadFile(server.url, other.token, { file: photo })).status).toBe(201);
    await server.store.transact((writer) => writer.updateTable('file_usage').set({ records: 4 }).execute());
    const overRecords = await send(photo);
    expectRefusal(overRecords, 'storage_record_limit');
    // No Retry-After, because a retry cannot succeed (§9.9).
    for (const { headers } of [overQuota, overRecords]) expect(headers.get('retry-after')).toBeNull();
  });

  it('count the maximum file size before an upload and the actual size afterwards', async () => {
    const room = 2 * mebibyte + 100_000;
    const server = await openTestServer({
      PLATFORM_FILE_BYTES: String(mebibyte),
      PLATFORM_AGENT_FILE_BYTES: String(room),
    });
    const { token, id } = await server.register('alice');
    const big = makePng(1_000, 1_000, []);
    const send = () => uploadFile(server.url, token, { file: big });
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 40) statuses.push((await send()).status);

    expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(3);
    expect(statuses.at(-1)).toBe(429);
    // Another upload is refused, because the maximum size is reserved for it.
    const { bytes } = await usageOf(server, id);
    expect(bytes + 2 * mebibyte).toBeGreaterThan(room);
    expect(bytes).toBeLessThanOrEqual(room);
  });

  it('are checked after form and size, and before the checking slots', async () => {
    const env = { PLATFORM_AGENT_FILES: '1', PLATFORM_FILE_BYTES: '100000' };
    const server = await openTestServer(env);
    const { token } = await server.register('alice');
    await uploadFile(server.url, token, { file: photo });

    expectRefusal(await uploadFile(server.url, token, { file: photo, purpose: 'x' }), 'invalid_input');
    expectRefusal(await uploadFile(server.url, token, { file: Buffer.alloc(100_001) }), 'body_too_large');
    expectRefusal(await uploadFile(server.url, token, { file: Buffer.from('no picture') }), 'storage_quota_exceeded');
  });
});

describe('the limits of all agents together', () => {
  it('hold for 50 parallel uploads to two servers on one database', async () => {
    const url = await freshDatabase(inject('postgresUrl'));
    const slots = { PLATFORM_ARRIVING_UPLOADS_PER_ADDRESS: '0', PLATFORM_ARRIVING_UPLOADS_PER_AGENT: '0' };
    const env = { PLATFORM_FILES: '5', PLATFORM_UPLOAD_CHECKS: '0', ...slots };
    const [one, other] = [await openTestServer(env, url), await openTestServer(env, url)];
    const agents = await Promise.all(Array.from({ length: 10 }, (_, index) => one.register(`agent_${index}`)));
    const uploads = Array.from({ length: 50 }, (_, index) => {
      const server = index % 2 === 0 ? one : other;
      return uploadFile(server.url, agents[index % 10]?.token ?? '', { file: photo });
    });
    const answers = await Promise.all(uploads);
    const created = answers.filter(({ status }) => status === 201);
    // On a busy machine, the database answers some of them too slowly.
    const refused = answers.filter(({ status }) => status !== 201 && status !== 503);

    expect(created.length).toBeLessThanOrEqual(5);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) expectRefusal(answer, 'storage_quota_exceeded');
    const sums = await Promise.all(agents.map(({ id }) => usageOf(one, id).catch(() => undefined)));
    const whole = await usageOf(one);
    expect(whole.files).toBe(created.length);
    expect(whole.records).toBe(created.length);
    expect(whole.bytes).toBe(sums.reduce((sum, usage) => sum + (usage?.bytes ?? 0), 0));
  });

  it.each([
    ['on all servers together', { PLATFORM_UPLOAD_CHECKS: '2' }, 2],
    ['on each server', { PLATFORM_UPLOAD_CHECKS: '0', PLATFORM_UPLOAD_CHECKS_PER_INSTANCE: '1' }, 2],
    ['on each server, and fewer on all', { PLATFORM_UPLOAD_CHECKS: '1', PLATFORM_UPLOAD_CHECKS_PER_INSTANCE: '1' }, 1],
  ])('allow as many concurrent checks as there are slots: %s', async (_where, env, most) => {
    const url = await freshDatabase(inject('postgresUrl'));
    const [one, other] = [await openTestServer(env, url), await openTestServer(env, url)];
    const agents = await Promise.all(Array.from({ length: 6 }, (_, index) => one.register(`agent_${index}`)));
    // Large enough that its check is still running when the others arrive.
    const slow = makePng(3_000, 2_000);
    const counts: number[] = [];
    const watching = setInterval(async () => counts.push(await countChecks(one)), 10);
    const answers = await Promise.all(
      agents.map(({ token }, index) => uploadFile((index % 2 === 0 ? one : other).url, token, { file: slow })),
    );
    clearInterval(watching);

    expect(Math.max(...counts)).toBe(most);
    // On a busy machine some uploads get no slot in time.
    const busy = answers.filter(({ status }) => status !== 201);
    expect(busy.length).toBeLessThan(answers.length);
    for (const answer of busy) {
      expectRefusal(answer, 'upload_busy');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    }
  });

  it('have one effect for concurrent duplicates on two servers', async () => {
    const url = await freshDatabase(inject('postgresUrl'));
    const [one, other] = [await openTestServer({}, url), await openTestServer({}, url)];
    const { token } = await one.register('alice');
    const uploadId = crypto.randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        uploadFile((index % 2 === 0 ? one : other).url, token, { file: photo, uploadId }),
      ),
    );

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status } of answers) expect([200, 201, 409]).toContain(status);
    expect(await usageOf(one)).toMatchObject({ files: 1, records: 1 });
  });
});

describe('an upload whose process has ended', () => {
  it('is abandoned when its lease expires: the quota is free again, but not the id', async () => {
    const server = await openTestServer({ PLATFORM_AGENT_FILES: '1' });
    const { token, id } = await server.register('alice');
    const uploadId = crypto.randomUUID();
    await server.store.transact(async (writer) => {
      await writer
        .insertInto('attachments')
        .values({
          id: crypto.randomUUID(),
          owner_id: id,
          upload_id: uploadId,
          purpose: 'order',
          state: 'checking',
          reserved_bytes: 1_000,
          lease_expires_at: new Date(Date.now() + 20_000),
          created_at: new Date(),
        })
        .execute();
      const usage = { files: 1, bytes: 1_000, records: 1 };
      await writer
        .insertInto('file_usage')
        .values({ key: id, ...usage })
        .execute();
      await writer.updateTable('file_usage').set(usage).where('key', '=', 'all').execute();
    });

    expectRefusal(await uploadFile(server.url, token, { file: photo, uploadId }), 'upload_unavailable');
    expectRefusal(await uploadFile(server.url, token, { file: photo }), 'storage_quota_exceeded');
    server.pass(minute);
    expect((await uploadFile(server.url, token, { file: photo })).status).toBe(201);
    expectRefusal(
      await uploadFile(server.url, token, { file: photo, uploadId, purpose: 'order' }),
      'upload_unavailable',
    );
    expect(await usageOf(server)).toMatchObject({ files: 1, records: 2 });
  });
});
