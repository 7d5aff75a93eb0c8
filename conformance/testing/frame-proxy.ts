import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { FrameFault, FrameLink, ProxiedUpgrade } from './passing.ts';

/** The close code that `ws` reports for a connection that ended without a close frame. */
const lostCode = 1006;

/** Combines faults, which apply in sequence. */
export function combineFrameFaults(faults: readonly FrameFault[]): FrameFault {
  const through = (name: 'onEvent' | 'onAck') => (frame: string, link: FrameLink) =>
    faults.reduce<readonly string[]>(
      (frames, fault) => frames.flatMap((one) => fault[name]?.(one, link) ?? [one]),
      [frame],
    );
  return {
    onUpgrade: (upgrade, open) =>
      faults.reduce<ProxiedUpgrade | number>(
        (last, { onUpgrade }) => (typeof last === 'number' ? last : (onUpgrade?.(last, open) ?? last)),
        upgrade,
      ),
    onEvent: through('onEvent'),
    onAck: through('onAck'),
    onClose: (code) =>
      faults.reduce<number | undefined>(
        (last, { onClose }) => (last === undefined || onClose === undefined ? last : onClose(last)),
        code,
      ),
    releasesAfterMs: Math.max(0, ...faults.map(({ releasesAfterMs = 0 }) => releasesAfterMs)),
  };
}

/** Forwards event connections to `upstream`, with a fault; returns a function that closes all of them. */
export function forwardUpgrades(server: Server, upstream: string, fault: FrameFault): () => void {
  const acceptor = new WebSocketServer({ noServer: true, perMessageDeflate: false, autoPong: false });
  const links = new Set<Link>();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { url = '' } = request;
    const { authorization } = request.headers;
    const passing = fault.onUpgrade?.({ url, authorization }, [...links]) ?? { url, authorization };
    if (typeof passing === 'number') return refuse(socket, passing, 'No');
    const headers = passing.authorization === undefined ? {} : { authorization: passing.authorization };
    const behind = new WebSocket(`${upstream}${passing.url}`, { headers, perMessageDeflate: false });
    behind.once('unexpected-response', (_outgoing, answer) => {
      refuse(socket, answer.statusCode ?? 0, answer.statusMessage ?? '');
      behind.terminate();
    });
    behind.on('error', () => socket.destroy());
    behind.once('open', () => {
      acceptor.handleUpgrade(request, socket, head, (client) => {
        const link = connect(client, behind, authorization, () => [...links].filter((other) => other !== link));
        links.add(link);
        pass(link, fault, () => links.delete(link));
      });
    });
  });
  return () => {
    for (const { client, behind } of links) {
      client.terminate();
      behind.terminate();
    }
  };
}

function refuse(socket: Duplex, status: number, text: string): void {
  socket.end(`HTTP/1.1 ${status} ${text}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

interface Link extends FrameLink {
  readonly client: WebSocket;
  readonly behind: WebSocket;
}

function connect(client: WebSocket, behind: WebSocket, authorization: string | undefined, others: () => Link[]): Link {
  return {
    client,
    behind,
    authorization,
    others,
    toClient: (frame) => client.send(frame),
    toServer: (frame) => behind.send(frame),
  };
}

function pass(
  link: Link,
  { onEvent, onAck, onClose, onPing, isDeaf, keepsLost, releasesAfterMs = 0 }: FrameFault,
  gone: () => void,
): void {
  const { client, behind } = link;
  // Pings must reach the server, because its pong confirms that it has accepted the connection.
  client.on('ping', (data) => {
    onPing?.(link);
    if (isDeaf !== true) behind.ping(data);
  });
  behind.on('pong', (data) => client.pong(data));
  behind.on('message', (data, isBinary) => {
    if (isBinary) return client.send(data, { binary: true });
    for (const frame of onEvent?.(String(data), link) ?? [String(data)]) client.send(frame);
  });
  client.on('message', (data, isBinary) => {
    if (isBinary) return behind.send(data, { binary: true });
    for (const frame of onAck?.(String(data), link) ?? [String(data)]) behind.send(frame);
  });
  client.on('error', () => behind.terminate());
  behind.once('close', (code, reason) => {
    gone();
    const seen = onClose === undefined ? code : onClose(code);
    if (seen !== undefined) closeWith(client, seen, reason);
  });
  client.once('close', (code, reason) => {
    gone();
    if (keepsLost === true && code === lostCode) return;
    if (releasesAfterMs === 0) closeWith(behind, code, reason);
    else setTimeout(closeWith, releasesAfterMs, behind, code, reason);
  });
}

// Reserved codes must not be sent in a close frame, so the connection ends without one.
function closeWith(socket: WebSocket, code: number, reason: Buffer): void {
  const maySend = (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || code >= 3000;
  if (maySend) socket.close(code, reason);
  else socket.terminate();
}
