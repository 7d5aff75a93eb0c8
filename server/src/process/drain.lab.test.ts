import { once } from 'node:events';
import { connect } from 'node:net';
import { freshDatabase } from '@agent-platform/testing';
import { describe, expect, inject, it } from 'vitest';
import { connectEvents } from '../../testing/event-client.ts';
import { startBalancer } from '../../testing/rolling-restart/balancer.ts';
import { sharedDatabaseSettings, startInstances } from '../../testing/rolling-restart/instances.ts';
import { startLoad } from '../../testing/rolling-restart/load.ts';
import { startTestServer } from '../../testing/test-server.ts';

/** Longer than HAProxy needs to detect that the server is not ready. */
const drainSeconds = 4;

/** Waits until the server has admitted the connection, because it answers pings only then. */
async function connectAdmitted(...given: Parameters<typeof connectEvents>) {
  const client = await connectEvents(...given);
  client.socket.ping();
  await once(client.socket, 'pong');
  return client;
}

describe('an instance that drains behind a load balancer', () => {
  it('ends without a failed request or a lost event, while clients read, write, upload and listen', async () => {
    const instances = await startInstances(
      2,
      sharedDatabaseSettings(await freshDatabase(inject('postgresUrl')), drainSeconds),
    );
    const balancer = await startBalancer(undefined, instances.urls);
    try {
      const load = await startLoad(balancer);
      await expect.poll(() => load.count('uploads')).toBeGreaterThan(0);
      expect(await instances.end(0, 'SIGTERM')).toBe(0);
      const messages = load.count('messages');
      await expect.poll(() => load.count('messages')).toBeGreaterThan(messages);
      const report = await load.stop();

      expect(report.failures, balancer.name).toEqual([]);
      expect(report.lost).toBe(0);
    } finally {
      await balancer.stop();
      await instances.kill();
    }
  });
});

describe('a server that drains', () => {
  it('is not ready, serves everything, and ends each connection with its reply', async () => {
    const server = await startTestServer();
    const { token } = await server.register('alice');
    const before = await server.request('GET', '/api/v1/bots/me', { token });
    server.app.beginDraining();
    const paths = ['/health/ready', '/health/live', '/api/v1/bots/me'];
    const answers = await Promise.all(paths.map((path) => server.request('GET', path, { token })));
    const client = await connectAdmitted(server.url, { token });

    expect(before.headers.get('connection')).toBe('keep-alive');
    expect(answers.map(({ status }) => status)).toEqual([503, 200, 200]);
    expect(answers.map(({ headers }) => headers.get('connection'))).toEqual(['close', 'close', 'close']);
    await server.close();
    expect((await client.ended).code).toBe(1013);
  });
});

describe('a server that ends its drain', () => {
  it('refuses new connections, and serves a request on an accepted one', async () => {
    const server = await startTestServer();
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    server.app.beginDraining();
    const refusing = server.app.refuseConnections();
    await expect.poll(() => server.app.http.server.listening).toBe(false);
    socket.write('GET /api/v1/bots/me HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const [head] = (await once(socket, 'data')) as Buffer[];
    await refusing;
    await server.close();

    expect(String(head)).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe('a server that stops', () => {
  it('refuses new connections immediately, not only after the last event connection has ended', async () => {
    const server = await startTestServer();
    const client = await connectAdmitted(server.url, await server.register('alice'));
    // Prolongs the shutdown, because the server waits for a client that does not answer the close frame.
    client.wire().pause();
    const closed = server.close();
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const outcome = await new Promise((resolve) => {
      socket.once('connect', () => resolve('connected'));
      socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code));
    });

    expect(outcome).toBe('ECONNREFUSED');
    client.socket.terminate();
    await closed;
  });
});
