import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import type { Exchange, HttpRequest } from '../http/http-client.ts';
import { NoAnswer } from '../http/http-client.ts';
import { parseJson } from '../json.ts';
import { type ConnectionEnding, type Frame, formatTranscript } from './frames.ts';

/** A connection to the event stream, or the refusal of one. */
export interface Connection {
  /** The handshake, and with 101 everything that was said since, for judges and reports. */
  readonly exchange: Exchange;
  /** Everything that was said, in its order. */
  readonly frames: readonly Frame[];
  /** How it ended; undefined while it is open, and for a refusal. */
  readonly ending: ConnectionEnding | undefined;
  /** True from 101 on, until it ends. */
  readonly isOpen: boolean;
  /** How many answers to pings came. */
  readonly pongs: number;
  sendFrame(data: string | Buffer): void;
  ping(): void;
  /** Waits until something can be seen, and returns it; undefined when it does not come within the time, or never can. */
  until<T>(see: () => T | undefined, withinMs: number): Promise<T | undefined>;
  /** Says goodbye, and waits for the answer for a while. */
  close(): Promise<void>;
}

/** What a connection takes beside its address. */
export interface ConnectionParts {
  readonly request: HttpRequest;
  readonly clean: (text: string) => string;
  /** Hears of every frame of the server. */
  readonly heard: (frame: Frame) => void;
}

const handshakeTimeoutMs = 30_000;
const goodbyeMs = 2_000;
/** No event comes near this. */
const frameMaxBytes = 1024 * 1024;
const framesMax = 10_000;
const refusalMaxBytes = 64 * 1024;

/** Opens a connection at `url`, with these headers and nothing else said. */
export function openConnection(url: string, parts: ConnectionParts): Promise<Connection> {
  const startedMs = performance.now();
  const sinceMs = () => performance.now() - startedMs;
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(new NoAnswer(parts.request, error.message));
    const socket = new WebSocket(url, {
      headers: parts.request.headers,
      handshakeTimeout: handshakeTimeoutMs,
      maxPayload: frameMaxBytes,
      perMessageDeflate: false,
      followRedirects: false,
      // A refusal would else keep its connection for a next request, and the process with it.
      agent: false,
    });
    let upgraded: IncomingMessage | undefined;
    socket.once('upgrade', (response) => {
      upgraded = response;
      // Before the first frame, which may come in the same packet.
      resolve(attend(socket, response, sinceMs, parts));
    });
    socket.once('unexpected-response', (request, response) => {
      readRefusal(response).then((text) => {
        request.destroy();
        resolve(refused(parts.request, response, text));
      }, fail);
    });
    socket.on('error', (error) => {
      if (upgraded === undefined) fail(error);
    });
  });
}

async function readRefusal(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) {
    text += String(chunk);
    if (text.length > refusalMaxBytes) break;
  }
  return text;
}

function refused(request: HttpRequest, { statusCode = 0, headers }: IncomingMessage, text: string): Connection {
  const exchange = { request, status: statusCode, headers, text, bytes: Buffer.from(text), json: parseJson(text) };
  const unsaid = () => undefined;
  return {
    ...{ exchange, frames: [], ending: undefined, isOpen: false, pongs: 0, sendFrame: unsaid, ping: unsaid },
    until: async (see) => see(),
    close: async () => undefined,
  };
}

function attend(
  socket: WebSocket,
  { headers }: IncomingMessage,
  sinceMs: () => number,
  { request, clean, heard }: ConnectionParts,
): Connection {
  const frames: Frame[] = [];
  const watchers = new Set<Watcher>();
  let [ending, failure, pongs]: [ConnectionEnding | undefined, string, number] = [undefined, '', 0];
  const changed = () => {
    for (const watcher of [...watchers]) watcher(ending !== undefined);
  };
  const note = (from: Frame['from'], data: Buffer | string, isBinary: boolean) => {
    const text = isBinary ? Buffer.from(data).toString('hex') : String(data);
    const frame = { atMs: sinceMs(), from, text, isBinary };
    frames.push(frame);
    if (from === 'server') heard(frame);
    if (frames.length >= framesMax) socket.terminate();
    changed();
  };
  socket.on('message', (data: Buffer, isBinary) => note('server', data, isBinary));
  socket.on('pong', () => {
    pongs += 1;
    changed();
  });
  socket.on('error', (error) => {
    failure = error.message;
  });
  socket.once('close', (code, reason) => {
    ending = { atMs: sinceMs(), code, reason: reason.toString() || failure };
    changed();
  });
  const until = <T>(see: () => T | undefined, withinMs: number) => watch(watchers, ending !== undefined, see, withinMs);
  const exchange: Exchange = {
    ...{ request, status: 101, headers, bytes: Buffer.alloc(0), json: undefined },
    get text() {
      return formatTranscript(frames, ending, clean);
    },
  };
  return {
    ...{ exchange, frames, until },
    get ending() {
      return ending;
    },
    get isOpen() {
      return ending === undefined;
    },
    get pongs() {
      return pongs;
    },
    sendFrame: (data) => {
      note('suite', data, typeof data !== 'string');
      socket.send(data, () => undefined);
    },
    ping: () => socket.ping('', true, () => undefined),
    close: async () => {
      socket.close(1000);
      const end = await until(() => ending, goodbyeMs);
      if (end === undefined) socket.terminate();
    },
  };
}

/** Called whenever something happened, for the last time when the connection has ended. */
type Watcher = (isOver: boolean) => void;

function watch<T>(watchers: Set<Watcher>, isOver: boolean, see: () => T | undefined, withinMs: number) {
  const seen = see();
  if (seen !== undefined || isOver) return Promise.resolve(seen);
  return new Promise<T | undefined>((resolve) => {
    const end = (value: T | undefined) => {
      clearTimeout(timer);
      watchers.delete(check);
      resolve(value);
    };
    const check: Watcher = (isLast) => {
      const value = see();
      if (value !== undefined || isLast) end(value);
    };
    const timer = setTimeout(() => end(undefined), withinMs);
    watchers.add(check);
  });
}
