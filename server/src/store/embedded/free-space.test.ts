import { describe, expect, it } from 'vitest';
import { makeEnvelope } from '../../../testing/scenarios/envelopes.ts';
import { befriend } from '../../../testing/scenarios/friends.ts';
import { useTestServer } from '../../../testing/test-server.ts';
import { prepareSqlText } from '../statements/prepared.ts';
import type { Store } from '../store.ts';
import { StoreUnavailableError } from '../unavailable.ts';
import { refuseWritesOnFullDisk, reservedDiskBytes } from './free-space.ts';

let store: Store;
let free = reservedDiskBytes;
const wrapStore = (inner: Store) => {
  store = refuseWritesOnFullDisk(inner, () => free);
  return store;
};
const server = useTestServer({}, 'embedded', { wrapStore });

describe('the embedded database on a disk that fills up', () => {
  it('refuses changes before there is no space, serves reads, and accepts changes once there is space', async () => {
    const write = () => store.transact((writer) => writer.deleteFrom('platform_choices').execute());
    const remove = prepareSqlText<never>('remove-choices', 'delete from platform_choices');
    const change = prepareSqlText<never>('change-choices', 'update platform_choices set value = value');
    free = reservedDiskBytes - 1;
    for (const refused of [store.migrate(), write(), store.run(remove, []), store.run(change, [])]) {
      await expect(refused).rejects.toThrow(StoreUnavailableError);
    }
    expect(await store.read((reader) => reader.selectFrom('platform_choices').selectAll().execute())).toEqual([]);
    free = reservedDiskBytes;
    await store.migrate();
    await write();
    await store.run(remove, []);
  });

  it('refuses messages like posts, and answers requests that read', async () => {
    const [alice, bob] = [await server().register('alice'), await server().register('bob')];
    await befriend(server(), alice, bob);
    const { token } = alice;
    const envelope = await makeEnvelope(server(), alice, bob);
    const send = () => server().request('POST', '/api/v1/messages', { token, body: envelope });
    const read = async (path: string) => (await server().request('GET', path, { token })).status;

    free = reservedDiskBytes - 1;
    const post = await server().request('POST', '/api/v1/posts', { token, body: { text: 'full', kind: 'update' } });
    const message = await send();
    const pages = ['/api/v1/bots/me', '/api/v1/posts', '/api/v1/posts?kind=update', `/api/v1/messages?peer=${bob.id}`];
    const statuses = await Promise.all(['/health/ready', ...pages].map(read));
    free = reservedDiskBytes;

    expect(post.status).toBe(503);
    expect([message.status, message.body['error']?.['code']]).toEqual([503, post.body['error']?.['code']]);
    expect(statuses).toEqual([503, 200, 200, 200, 200]);
    expect((await send()).status).toBe(201);
    await expect.poll(() => read('/health/ready'), { timeout: 60_000 }).toBe(200);
  });
});
