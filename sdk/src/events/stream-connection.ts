import type { WebSocket } from 'ws';
import type { StreamConnection, StreamEnding, StreamOptions } from '../transport/call-options.ts';
import { findProgramDispatcher } from '../transport/http/dispatcher.ts';
import { parseRetryAfter } from '../transport/retry-after.ts';
import { makeHandshakeOptions } from './dispatched-handshake.ts';

// The longest event is a message of 22,500 characters, each of which may take up to six bytes in JSON.
const frameMaxBytes = 144 * 1024;
const goodbyeMs = 1_000;
// The connection is paused while this many frames wait. The reference server sends at most 64 events without an ack.
const queueMax = 256;

/** Opens the event stream; the token is only sent in a header, never in the URL. */
export async function openEventStream(options: StreamOptions): Promise<StreamConnection> {
  // Loaded on demand: a program that only calls operations needs no WebSocket.
  const { WebSocket } = await import('ws');
  const dispatcher = findProgramDispatcher();
  const socket = new WebSocket(options.url, {
    ...(dispatcher === undefined ? {} : makeHandshakeOptions(dispatcher, options.url, options.timeoutMs)),
    headers: { authorization: `Bearer ${options.token}`, 'user-agent': 'agent-platform-sdk' },
    handshakeTimeout: options.timeoutMs,
    maxPayload: frameMaxBytes,
    perMessageDeflate: false,
    followRedirects: false,
  });
  return watch(socket, options);
}

function watch(socket: WebSocket, { silenceMs, onOpen }: StreamOptions): StreamConnection {
  let ending: StreamEnding = { kind: 'lost' };
  let why = '';
  const drop = (reason: string) => {
    why ||= reason;
    socket.terminate();
  };
  const silence = watchSilence(socket, silenceMs, () => drop(`received no data for ${silenceMs} ms`));
  const arrived: string[] = [];
  let wake = () => {};
  socket.on('message', (data, isBinary) => {
    if (isBinary) return drop('received a binary frame');
    if (arrived.push(String(data)) >= queueMax) socket.pause();
    wake();
  });
  let goodbye: NodeJS.Timeout | undefined;
  socket.on('open', () => {
    silence.heard();
    onOpen();
  });
  for (const sign of ['ping', 'pong', 'message'] as const) socket.on(sign, silence.heard);
  async function* texts(): AsyncGenerator<readonly string[], void, undefined> {
    for (;;) {
      const together = arrived.splice(0);
      if (socket.isPaused) socket.resume();
      if (together.length > 0) yield together;
      else if (socket.readyState === socket.CLOSED) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  socket.on('unexpected-response', (request, response) => {
    const status = response.statusCode ?? 0;
    const retryAfter = response.headers['retry-after'];
    const headers = new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter });
    ending = { kind: 'refused', status, retryAfterSeconds: parseRetryAfter(headers, Date.now()) };
    why = `received HTTP ${status} instead of the stream`;
    request.destroy();
    socket.terminate();
  });
  socket.on('error', (error) => {
    why ||= error.message;
  });
  const ended = new Promise<{ ending: StreamEnding; why: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      silence.end();
      clearTimeout(goodbye);
      wake();
      // `ws` reports 1006 if the connection was lost; no server sends this code.
      if (ending.kind !== 'refused' && why === '' && code !== 1006) ending = { kind: 'closed', code };
      resolve({ ending, why: why === '' ? `close code ${code} ${reason.toString()}`.trim() : why });
    });
  });
  return {
    ended,
    texts: texts(),
    send: (text) => {
      if (socket.readyState !== socket.OPEN) return false;
      socket.send(text);
      return true;
    },
    close: () => {
      if (socket.isPaused) socket.resume();
      socket.close(1000);
      goodbye = setTimeout(() => socket.terminate(), goodbyeMs);
    },
    drop,
  };
}

// Servers must send a ping every 30 s (§7.34). In case one does not, the client sends a ping after half the timeout. A
// paused socket is not checked, because it receives nothing.
function watchSilence(socket: WebSocket, silenceMs: number, giveUp: () => void) {
  let timer: NodeJS.Timeout | undefined;
  const end = () => clearTimeout(timer);
  const heard = () => {
    end();
    timer = setTimeout(() => {
      if (socket.isPaused) return heard();
      socket.ping();
      timer = setTimeout(() => (socket.isPaused ? heard() : giveUp()), silenceMs / 2);
    }, silenceMs / 2);
  };
  return { heard, end };
}
