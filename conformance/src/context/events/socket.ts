import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import type { Channel } from '../../world/world.ts';

/** What a connection to the event stream reports. */
export type SocketEvent =
  | { readonly is: 'opened'; readonly headers: IncomingHttpHeaders }
  | { readonly is: 'refused'; readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }
  | { readonly is: 'failed'; readonly why: string }
  /** `data` is a string, or bytes if the frame is binary. */
  | { readonly is: 'frame'; readonly data: string | Uint8Array }
  | { readonly is: 'pong' }
  | { readonly is: 'ended'; readonly code: number; readonly reason: string };

const handshakeTimeoutMs = 30_000;
/** The maximum size of a frame, far larger than any event. */
const frameMaxBytes = 1024 * 1024;
const refusalMaxBytes = 64 * 1024;

/** Opens a WebSocket with these headers. `send` accepts frames and the commands `[ping]` and `[close]`. */
export function openSocket(
  url: string,
  headers: Readonly<Record<string, string>>,
  emit: (event: SocketEvent) => void,
): Channel {
  const socket = new WebSocket(url, {
    headers,
    handshakeTimeout: handshakeTimeoutMs,
    maxPayload: frameMaxBytes,
    perMessageDeflate: false,
    followRedirects: false,
    // A shared HTTP agent would keep a refused connection open for reuse, and the process would not end.
    agent: false,
  });
  let [isUpgraded, failure] = [false, ''];
  const fail = ({ message }: Error) => emit({ is: 'failed', why: message });
  socket.once('upgrade', (response) => {
    isUpgraded = true;
    emit({ is: 'opened', headers: response.headers });
  });
  socket.once('unexpected-response', (request, response) => {
    readRefusal(response).then((text) => {
      request.destroy();
      emit({ is: 'refused', status: response.statusCode ?? 0, headers: response.headers, text });
    }, fail);
  });
  socket.on('error', (error) => {
    failure = error.message;
    if (!isUpgraded) fail(error);
  });
  socket.on('message', (data: Buffer, isBinary) => emit({ is: 'frame', data: isBinary ? data : String(data) }));
  socket.on('pong', () => emit({ is: 'pong' }));
  socket.once('close', (code, reason) => {
    if (isUpgraded) emit({ is: 'ended', code, reason: reason.toString() || failure });
  });
  return {
    send: (data) => {
      if (data === '[ping]') socket.ping('', true, () => undefined);
      else if (data === '[close]') socket.close(1000);
      else socket.send(data, () => undefined);
    },
    close: () => socket.terminate(),
  };
}

async function readRefusal(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) {
    text += String(chunk);
    if (text.length > refusalMaxBytes) break;
  }
  return text;
}
