import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { useTestServer } from '../../testing/test-server.ts';

const server = useTestServer();

const handshake = [
  'GET /ws/v1/events/ HTTP/1.1',
  'host: platform.test',
  'connection: upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
];

/** Resets the connection before the server can respond to the handshake. */
async function depart(): Promise<void> {
  const { hostname, port } = new URL(server().url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(`${handshake.join('\r\n')}\r\n\r\n`);
  socket.resetAndDestroy();
}

describe('clients that reset the connection during their handshake', () => {
  it('do not stop the server, and cause no error in its log', async () => {
    for (let round = 0; round < 20; round += 1) await Promise.all(Array.from({ length: 20 }, depart));

    const answer = await fetch(`${server().url}/health/live`);
    expect(answer.status).toBe(200);
    expect(server().logged()).not.toMatch(/"level":[56]0/);
  });
});
