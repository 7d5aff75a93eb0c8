import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { type ReferenceServer, startReferenceServer, unlimitedSettings } from '../../testing/reference-server.ts';
import { unpacedLimits } from '../context/budget/limits.ts';
import { runOptions } from '../context/options.ts';
import { judgeServer } from './suite.ts';

/** How each stream without state handles a connection; a number is the HTTP status of a refused handshake. */
const nullStreams: readonly (readonly [name: string, greet: number | ((socket: WebSocket) => void)])[] = [
  ['404 to every handshake', 404],
  ['401 to every handshake', 401],
  ['200 to every handshake', 200],
  ['500 to every handshake', 500],
  ['nothing at all', () => undefined],
  ['with 4401 immediately', (socket) => socket.close(4401)],
  ['with 4429 immediately', (socket) => socket.close(4429)],
  ['with the received frames', (socket) => socket.on('message', (data) => socket.send(String(data)))],
  ['acked to every frame', (socket) => socket.on('message', (data) => socket.send(acked(String(data))))],
];

// Requirements met by every stream that can open a WebSocket.
const passesAnyway = ['AP-EVENT-003'];

let server: ReferenceServer;

beforeAll(async () => {
  server = await startReferenceServer(unlimitedSettings);
});

afterAll(async () => {
  await server.stop();
});

describe('a stream without state passes nothing when it answers', () => {
  it.concurrent.each(nullStreams)('%s', async (name, greet) => {
    const stream = await startStream(greet);
    try {
      const { port } = stream.address() as AddressInfo;
      const options = { ...server.means, wsUrl: `ws://127.0.0.1:${port}`, only: ['AP-EVENT'] };
      const report = await judgeServer(
        runOptions(server.url, { ...options, eventSeconds: 0.2, limits: unpacedLimits }),
      );
      const passed = report.requirements.filter(({ verdict }) => verdict === 'passed');
      const unearned = passed.filter(({ requirement }) => !passesAnyway.includes(requirement.id));
      expect(unearned.map(({ requirement }) => requirement.id)).toEqual([]);
      expect(report.checks.filter(({ verdict }) => verdict === 'error')).toEqual([]);
      // Closing an excess connection with 4429 is correct.
      expect(report.exitCode).toBe(name === 'with 4429 immediately' ? 3 : 1);
    } finally {
      stream.close();
      stream.closeAllConnections();
    }
  });
});

it('a stream without a free connection fails nothing that needs one: the close code is in the reason', async () => {
  const stream = await startStream((socket) => socket.close(4429));
  onTestFinished(() => void stream.close());
  const { port } = stream.address() as AddressInfo;
  const options = { ...server.means, wsUrl: `ws://127.0.0.1:${port}`, only: ['AP-EVENT-024'], limits: unpacedLimits };
  const { requirements } = await judgeServer(runOptions(server.url, { ...options, eventSeconds: 0.2 }));
  const [outcome] = requirements.filter(({ requirement }) => requirement.id === 'AP-EVENT-024');
  expect(outcome?.verdict).toBe('inconclusive');
  expect(outcome?.reason).toContain('closed with 4429');
});

async function startStream(greet: number | ((socket: WebSocket) => void)): Promise<Server> {
  const http = createServer((_request, response) => response.writeHead(404).end());
  const acceptor = new WebSocketServer({ noServer: true });
  http.on('upgrade', (request, socket, head) => {
    if (typeof greet !== 'number') return acceptor.handleUpgrade(request, socket, head, greet);
    socket.end(`HTTP/1.1 ${greet} No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return http;
}

function acked(frame: string): string {
  return frame.replace('"ack"', '"acked"');
}
