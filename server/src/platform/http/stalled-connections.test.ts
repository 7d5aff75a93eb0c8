import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { connectEvents } from '../../../testing/event-client.ts';
import { useTestServer } from '../../../testing/test-server.ts';
import type { Store } from '../../store/store.ts';

/** Longer than the stall timeout, which is 3 s in this test. */
const longMs = 4_500;

const wrapStore = (store: Store): Store => ({
  ...store,
  ping: async (timeoutMs) => {
    await wait(longMs);
    await store.ping(timeoutMs);
  },
});
const brief = { PLATFORM_REQUEST_SECONDS: '1', PLATFORM_UPLOAD_SECONDS: '1' };
const server = useTestServer(brief, 'copied', { wrapStore });

const countOpen = () => new Promise((resolve) => server().app.http.server.getConnections((_, count) => resolve(count)));

describe('a connection without traffic', () => {
  it('ends when its client does not read', async () => {
    const { hostname, port } = new URL(server().url);
    const client = connect(Number(port), hostname).on('error', () => undefined);
    client.pause();
    // The responses are larger than all buffers between the server and the client.
    client.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(60));
    await expect.poll(countOpen).toBe(1);

    await expect.poll(countOpen).toBe(0);
    client.destroy();
  });

  it.each([
    ['that was too slow', 'GET / HTTP/1.1\r\n', 408],
    ['that is not HTTP', 'garbage\r\n\r\n', 400],
  ])('ends after the response to a request %s, even if its client does not close it', async (_what, bytes, status) => {
    const { hostname, port } = new URL(server().url);
    const client = connect({ port: Number(port), host: hostname, allowHalfOpen: true }).on('error', () => undefined);
    client.write(bytes);
    const [answer] = await once(client, 'data');
    await expect.poll(countOpen).toBe(0);
    client.destroy();

    expect(String(answer)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it('stays open while a request is processed, and as an event connection', async () => {
    const client = await connectEvents(server().url, await server().register('alice'));
    const slow = await server().request('GET', '/health/ready');

    expect(slow.status).toBe(200);
    expect(client.socket.readyState).toBe(client.socket.OPEN);
    await client.close();
  });
});
