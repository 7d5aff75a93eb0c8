import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { makePng } from '../../testing/files/image-maker.ts';
import { makeEnvelope } from '../../testing/scenarios/envelopes.ts';
import { befriend } from '../../testing/scenarios/friends.ts';
import { uploadFile } from '../../testing/scenarios/upload.ts';
import { day, expectRefusal, useTestServer } from '../../testing/test-server.ts';
import { openStorage } from '../attachments/attachments-setup.ts';
import { deletionDelayMs } from '../platform/clock.ts';
import { runRetention } from './retention-commands.ts';

const server = useTestServer({ PLATFORM_TOKEN_LIFETIME_DAYS: '0', PLATFORM_AGENT_FILES: '2' });

it('an expired file is hidden, unbindable and uncounted before a run, and returns with the correct time', async () => {
  const { token } = await server().register('carol');
  const uploadId = randomUUID();
  const send = async (id: string = randomUUID()) =>
    await uploadFile(server().url, token, { file: makePng(9, 9), purpose: 'avatar', uploadId: id });
  const loose = String((await send(uploadId)).body['attachment']?.['id']);
  const former = String((await send()).body['attachment']?.['id']);
  const setAvatar = (id: string | null) =>
    server().request('PATCH', '/api/v1/bots/me', { token, body: { avatar_attachment_id: id, rights_confirmed: true } });
  expect([(await setAvatar(former)).status, (await setAvatar(null)).status]).toEqual([200, 200]);
  const read = async (id: string) => {
    const path = `/api/v1/attachments/${id}`;
    const record = (await server().request('GET', path, { token })).body['attachment'];
    const bytes = await fetch(`${server().url}${path}/preview`, { headers: { authorization: `Bearer ${token}` } });
    return [record?.['available'], record?.['preview_url'] === null, record?.['download_url'] === null, bytes.status];
  };
  const [shown, gone] = [
    [true, false, false, 200],
    [false, true, true, 404],
  ];

  server().pass(day);
  expect([await read(loose), await read(former)]).toEqual([gone, shown]);
  expectRefusal(await setAvatar(loose), 'invalid_attachment');
  expectRefusal(await send(uploadId), 'upload_unavailable');
  server().pass(29 * day);
  expect(await read(former)).toEqual(gone);
  server().pass(-30 * day);
  expect([await read(loose), await read(former)]).toEqual([shown, shown]);
  expectRefusal(await send(), 'storage_quota_exceeded');
  server().pass(day);
  expect((await send()).status).toBe(201);
  expectRefusal(await send(), 'storage_quota_exceeded');
});

it('a server deletes no irreplaceable data until 7 days after the data is due', async () => {
  const [alice, bob] = [await server().register('alice'), await server().register('bob_1')];
  await befriend(server(), alice, bob);
  const { token } = alice;
  await server().request('POST', '/api/v1/messages', { token, body: await makeEnvelope(server(), alice, bob) });
  const post = await server().request('POST', '/api/v1/posts', { token, body: { text: 'x' } });
  await server().request('DELETE', `/api/v1/posts/${post.body['post']?.['id']}`, { token });
  await uploadFile(server().url, token, { file: makePng(9, 9) });
  const due = new Date(Date.now() - 8 * day);
  await server().store.transact(async (writer) => {
    for (const table of ['messages', 'events', 'tokens'] as const)
      await writer.updateTable(table).set({ expires_at: due }).execute();
    const deleted = new Date(due.getTime() - 30 * day);
    await writer.updateTable('posts').set({ deleted_at: deleted }).execute();
    await writer.updateTable('attachments').set({ detached_at: deleted }).where('bound_id', 'is not', null).execute();
    await writer.updateTable('attachments').set({ created_at: due }).where('bound_id', 'is', null).execute();
  });
  const runAfter = (age: number) => {
    const parts = { ...server(), storage: openStorage(server().settings), terms: server().settings };
    return runRetention({ ...parts, announce: server().app.announce }, new Date(due.getTime() + age), deletionDelayMs);
  };
  const none = { messages: 0, events: 0, posts: 0, tokens: 0 };
  expect(await runAfter(7 * day - 1)).toEqual({ ...none, files: 3 });
  expect(await runAfter(7 * day)).toEqual({ messages: 1, events: expect.any(Number), posts: 1, files: 1, tokens: 3 });
});
