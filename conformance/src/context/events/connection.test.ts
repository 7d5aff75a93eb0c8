import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startLoadAdjustedTimer } from '@agent-platform/testing/quiet-time';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { toShownExchange } from '../../verdict/shown-exchange.ts';
import { openLiveWorld } from '../../world/live-world.ts';
import { NoAnswerError } from '../http/http-client.ts';
import { openTokenRegister } from '../pool/token-register.ts';
import { openRedaction } from '../redaction.ts';
import { ackedEventIds, eventsOf, openConnection } from './connection.ts';

const world = openLiveWorld();

const token = 'apt_Qm9y-aW5n_c3RyaW5nczAxMjM0NTY3ODlhYmNkZWY';
const event = { type: 'event', event_id: '01a1fdfe-a3da-71f8-80aa-a1c60dcc3174', kind: 'order.changed', payload: {} };
const open: Server[] = [];

afterEach(() => {
  for (const server of open.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** Serves an event stream that runs `greet` for each connection, or refuses each one with a status and a body. */
async function stream(greet: ((socket: WebSocket, authorization?: string) => void) | readonly [number, string]) {
  const http = createServer();
  const acceptor = new WebSocketServer({ noServer: true });
  http.on('upgrade', (request, socket, head) => {
    if (typeof greet !== 'function') {
      const [status, body] = greet;
      socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
    } else acceptor.handleUpgrade(request, socket, head, (client) => greet(client, request.headers.authorization));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  open.push(http);
  return `ws://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

async function connect(url: string) {
  const redaction = openRedaction(world);
  const headers = { authorization: `Bearer ${token}` };
  redaction.hideAuthorization(headers.authorization);
  const asked = { method: 'GET', path: '/ws/v1/events/', headers, body: '', isUpgrade: true };
  const connection = await openConnection(`${url}/ws/v1/events/`, {
    world,
    request: asked,
    clean: redaction.apply,
    received: () => undefined,
  });
  return { connection, shown: () => toShownExchange(connection.exchange, { redaction, tokens: openTokenRegister() }) };
}

describe('a connection to the event stream', () => {
  it('that is refused leaves no connection open', async () => {
    // Allows the client to reuse the connection, as an HTTP server without WebSockets does.
    const http = createServer((_request, response) => response.writeHead(404).end('{}'));
    // Without this, the server would close the connection after a timeout.
    http.keepAliveTimeout = 0;
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    open.push(http);
    const { connection } = await connect(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`);
    const count = () => new Promise((resolve) => http.getConnections((_, connections) => resolve(connections)));

    expect(connection.exchange.status).toBe(404);
    await expect.poll(count).toBe(0);
  });

  it('sends the token in the header and stores every frame', async () => {
    const url = await stream((socket, authorization) => {
      socket.send(JSON.stringify({ ...event, payload: { authorization } }));
      socket.on('message', (data) => socket.send(String(data).replace('ack', 'acked')));
    });
    const { connection } = await connect(url);
    await connection.until(() => eventsOf(connection.frames)[0], 5_000);
    connection.sendFrame(JSON.stringify({ type: 'ack', event_id: event.event_id }));
    await connection.until(() => ackedEventIds(connection.frames)[0], 5_000);

    expect(eventsOf(connection.frames)).toEqual([
      { id: event.event_id, kind: event.kind, payload: { authorization: `Bearer ${token}` } },
    ]);
    expect(connection.frames.map(({ from }) => from)).toEqual(['server', 'suite', 'server']);
    expect(connection.frames.map(({ atMs }) => atMs)).toEqual(
      connection.frames.map(({ atMs }) => atMs).toSorted((a, b) => a - b),
    );
    await connection.close();
    expect(connection.isOpen).toBe(false);
  });

  it('stores the code and reason when it ends, and then stops waiting', async () => {
    const { connection } = await connect(await stream((socket) => socket.close(4401, 'The token has ended.')));
    await connection.until(() => connection.ending, 5_000);

    expect(connection.ending).toMatchObject({ code: 4401, reason: 'The token has ended.' });
    const quietMs = startLoadAdjustedTimer();
    expect(await connection.until(() => undefined, 60_000)).toBeUndefined();
    expect(quietMs()).toBeLessThan(30_000);
  });

  it('stores the status and body of a refused handshake', async () => {
    const body = '{"error":{"code":"unauthorized"}}';
    const { connection } = await connect(await stream([401, body]));

    expect(connection).toMatchObject({ isOpen: false, frames: [] });
    expect(connection.exchange).toMatchObject({ status: 401, text: body, json: JSON.parse(body) });
  });

  it('is an error if there is no server', async () => {
    const url = await stream(() => undefined);
    for (const server of open.splice(0)) await new Promise((resolve) => server.close(resolve));

    await expect(connect(url)).rejects.toThrow(NoAnswerError);
  });

  it('counts pongs and stores binary frames', async () => {
    const { connection } = await connect(await stream((socket) => socket.send(Buffer.from([1, 255]))));
    connection.ping();
    await connection.until(() => connection.pongs || undefined, 5_000);

    expect(connection.pongs).toBe(1);
    expect(connection.frames).toMatchObject([{ from: 'server', isBinary: true, text: '01ff' }]);
  });
});

describe('a connection in a report', () => {
  it('shows its frames and end, with a command that connects in the same way', async () => {
    const url = await stream((socket) => {
      socket.send(JSON.stringify(event));
      socket.on('message', () => socket.close(4400, 'That is no ack.'));
    });
    const { connection, shown } = await connect(url);
    await connection.until(() => connection.frames[0], 5_000);
    connection.sendFrame('hello');
    await connection.until(() => connection.ending, 5_000);

    const { answer, status, curl } = shown();
    expect(status).toBe(101);
    expect(answer.split('\n').map((line) => line.replace(/^\+\d+\.\d{3} /, ''))).toEqual([
      `< ${JSON.stringify(event)}`,
      '> hello',
      'closed 4400 That is no ack.',
    ]);
    expect(curl).toContain("-H 'Upgrade: websocket'");
    expect(curl).toMatch(/"http\$\{WS_URL#ws\}\/ws\/v1\/events\/"$/);
    expect(curl).toContain('Authorization: Bearer $WRONG_TOKEN');
  });

  it('contains no token, even if the server echoes it in frames and reasons', async () => {
    const url = await stream((socket, authorization) => {
      socket.send(`${'x'.repeat(220)}${authorization}`);
      socket.send(JSON.stringify({ base64: Buffer.from(token).toString('base64') }));
      socket.close(4401, `not ${token}`);
    });
    const { connection, shown } = await connect(url);
    await connection.until(() => connection.ending, 5_000);

    const text = JSON.stringify(shown());
    expect(text).not.toContain(token.slice(0, 12));
    expect(text).not.toContain(Buffer.from(token).toString('base64').slice(0, 12));
    expect(text).toContain('closed 4401 not [secret]');
  });

  it('is shortened to its beginning and end if it is long', async () => {
    const url = await stream((socket) => {
      for (let at = 0; at < 40; at += 1) socket.send(`frame ${at}`);
    });
    const { connection, shown } = await connect(url);
    await vi.waitFor(() => expect(connection.frames).toHaveLength(40), 120_000);

    const { answer } = shown();
    for (const part of ['frame 0', 'frame 1', '33 frames left out', 'frame 39']) expect(answer).toContain(part);
    expect(answer).not.toContain('frame 2\n');
    await connection.close();
  });
});
