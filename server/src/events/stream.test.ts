import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectEvents } from '../../testing/event-client.ts';
import { befriend, requestContact } from '../../testing/friends.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

describe('the event stream', () => {
  it('brings what waited, then what comes, and answers acks', async () => {
    const alice = await server.register('alice');
    const bob = await server.register('bob');
    const carol = await server.register('carol');
    await requestContact(server, alice, bob);
    const client = await connectEvents(server.url, bob);
    const [first] = await client.until(1);
    expect(first).toMatchObject({ type: 'event', kind: 'contact.requested' });
    await requestContact(server, carol, bob);
    await client.until(2);
    client.ack(...client.eventIds());
    await client.until(2, 'acked');
    expect((await client.close()).code).toBe(1005);
    const again = await connectEvents(server.url, bob);
    await befriend(server, await server.register('dave'), bob);
    const [only] = await again.until(1);
    expect(only).toMatchObject({ kind: 'contact.requested' });
  });
  it('closes', async () => {
    expect(await (await connectEvents(server.url, undefined)).ended).toMatchObject({ code: 4401 });
    expect(await (await connectEvents(server.url, undefined, '/ws/v1/events/?a')).ended).toMatchObject({ code: 4400 });
  });
});
