import type { IncomingHttpHeaders } from 'node:http';
import { type Channel, type Clock, openClock, type RunWorld } from '../../world/world.ts';
import { type Exchange, type HttpRequest, NoAnswerError } from '../http/http-client.ts';
import { isObject, type JsonObject, parseJson } from '../json.ts';
import { openSocket, type SocketEvent } from './socket.ts';

export interface Frame {
  /** Milliseconds since the connection was requested. */
  readonly atMs: number;
  readonly from: 'server' | 'suite';
  readonly text: string;
  readonly isBinary: boolean;
}

interface ConnectionEnding {
  readonly atMs: number;
  /** The code of the close frame, or 1006 if there was none. */
  readonly code: number;
  readonly reason: string;
}

export interface StreamEvent {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
}

// Every waiter reads all frames after each new one, so parsed frames are cached.
const parsed = new WeakMap<Frame, unknown>();

export function serverMessagesOf(frames: readonly Frame[]): readonly JsonObject[] {
  return frames
    .filter(({ from, isBinary }) => from === 'server' && !isBinary)
    .map((frame) => {
      if (!parsed.has(frame)) parsed.set(frame, parseJson(frame.text));
      return parsed.get(frame);
    })
    .filter(isObject);
}

/** Excludes events without an id, which another check judges. */
export function eventsOf(frames: readonly Frame[]): readonly StreamEvent[] {
  return serverMessagesOf(frames).flatMap(({ type, event_id: id, kind, payload }: Partial<Record<string, unknown>>) =>
    type === 'event' && typeof id === 'string' ? [{ id, kind: String(kind), payload }] : [],
  );
}

/** The ids of the events for which the server sent `acked`. */
export function ackedEventIds(frames: readonly Frame[]): readonly string[] {
  return serverMessagesOf(frames).flatMap(({ type, event_id: id }: Partial<Record<string, unknown>>) =>
    type === 'acked' && typeof id === 'string' ? [id.toLowerCase()] : [],
  );
}

// How many frames, and characters of each, a report shows: more from the end, because the last frames matter most.
const shownFirst = 2;
const shownLast = 5;
const shownMaxLength = 240;

function formatTranscript(
  frames: readonly Frame[],
  ending: ConnectionEnding | undefined,
  clean: (text: string) => string,
): string {
  const lines = frames.map((frame) => printFrame(frame, clean));
  const left = lines.length - shownFirst - shownLast;
  const shown =
    left > 0 ? [...lines.slice(0, shownFirst), `  (${left} frames left out)`, ...lines.slice(-shownLast)] : lines;
  const end = ending === undefined ? [] : [`${printTime(ending.atMs)} closed ${ending.code} ${clean(ending.reason)}`];
  return [...shown, ...end].map((line) => line.trimEnd()).join('\n');
}

// Secrets are removed before the text is shortened, because shortening could split one of them.
function printFrame({ atMs, from, text, isBinary }: Frame, clean: (text: string) => string): string {
  const whole = isBinary ? `(binary, ${text.length / 2} bytes) ${text}` : clean(text);
  const shown =
    whole.length > shownMaxLength ? `${whole.slice(0, shownMaxLength)}… (${text.length} characters)` : whole;
  return `${printTime(atMs)} ${from === 'server' ? '<' : '>'} ${shown}`;
}

function printTime(ms: number): string {
  return `+${(ms / 1_000).toFixed(3)}`;
}

/** A connection to the event stream, or a refused handshake. */
export interface Connection {
  /** The handshake and, after 101, all frames since then, for checks and reports. */
  readonly exchange: Exchange;
  readonly frames: readonly Frame[];
  /** How the connection ended; undefined while it is open or if it was refused. */
  readonly ending: ConnectionEnding | undefined;
  /** True from status 101 until the connection ends. */
  readonly isOpen: boolean;
  readonly pongs: number;
  sendFrame(data: string | Buffer): void;
  ping(): void;
  /** Waits until `see` returns a value, and returns it; undefined if the time is over or the connection ends first. */
  until<T>(see: () => T | undefined, withinMs: number): Promise<T | undefined>;
  /** Sends a close frame and waits briefly for the server's. */
  close(): Promise<void>;
  /** Ends the connection without a close frame, as a killed process does. */
  drop(): void;
}

export interface ConnectionOptions {
  readonly world: RunWorld;
  readonly request: HttpRequest;
  readonly clean: (text: string) => string;
  readonly received: (frame: Frame) => void;
}

const goodbyeMs = 2_000;
const framesMax = 10_000;

/** Connects to `url` with the headers of the request and no others. */
export function openConnection(url: string, parts: ConnectionOptions): Promise<Connection> {
  const { request, world } = parts;
  const { now } = openClock(world);
  const startedMs = now();
  return new Promise((resolve, reject) => {
    let attended: Attended | undefined;
    const line = world.open<SocketEvent>(
      'stream',
      { path: request.path, headers: request.headers },
      (emit) => openSocket(url, request.headers, emit),
      (event) => {
        if (event.is === 'failed') reject(new NoAnswerError(request, event.why));
        else if (event.is === 'refused') resolve(refused(request, event));
        else if (event.is === 'opened') {
          attended = attend(line, event.headers, () => now() - startedMs, parts);
          resolve(attended.connection);
        } else attended?.hear(event);
      },
    );
  });
}

function refused(request: HttpRequest, { status, headers, text }: Extract<SocketEvent, { is: 'refused' }>): Connection {
  const exchange = { request, status, headers, text, bytes: Buffer.from(text), json: parseJson(text) };
  const unsaid = () => undefined;
  return {
    exchange,
    frames: [],
    ending: undefined,
    isOpen: false,
    pongs: 0,
    sendFrame: unsaid,
    ping: unsaid,
    until: async (see) => see(),
    close: async () => undefined,
    drop: unsaid,
  };
}

interface Attended {
  readonly connection: Connection;
  hear(event: SocketEvent): void;
}

function attend(
  line: Channel,
  headers: IncomingHttpHeaders,
  sinceMs: () => number,
  { request, clean, received, world }: ConnectionOptions,
): Attended {
  const frames: Frame[] = [];
  const watchers = new Set<Watcher>();
  let [ending, pongs]: [ConnectionEnding | undefined, number] = [undefined, 0];
  const changed = () => {
    for (const watcher of [...watchers]) watcher(ending !== undefined);
  };
  const note = (from: Frame['from'], data: Uint8Array | string) => {
    const isBinary = typeof data !== 'string';
    const frame = { atMs: sinceMs(), from, text: isBinary ? Buffer.from(data).toString('hex') : data, isBinary };
    frames.push(frame);
    if (from === 'server') received(frame);
    if (frames.length >= framesMax) end(1006, 'too many frames');
    changed();
  };
  const end = (code: number, reason: string) => {
    line.close();
    ending ??= { atMs: sinceMs(), code, reason };
    changed();
  };
  const hear = (event: SocketEvent) => {
    if (event.is === 'frame') note('server', event.data);
    else if (event.is === 'ended') end(event.code, event.reason);
    else if (event.is === 'pong') {
      pongs += 1;
      changed();
    }
  };
  const clock = openClock(world);
  const until = <T>(see: () => T | undefined, withinMs: number) =>
    watch(watchers, ending !== undefined, see, withinMs, clock);
  const exchange: Exchange = {
    request,
    status: 101,
    headers,
    bytes: Buffer.alloc(0),
    json: undefined,
    get text() {
      return formatTranscript(frames, ending, clean);
    },
  };
  const connection: Connection = {
    exchange,
    frames,
    until,
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
      note('suite', data);
      line.send(data);
    },
    ping: () => line.send('[ping]'),
    close: async () => {
      line.send('[close]');
      const ended = await until(() => ending, goodbyeMs);
      if (ended === undefined) end(1006, '');
    },
    drop: () => end(1006, ''),
  };
  return { connection, hear };
}

/** Called after each frame or pong, and with `isOver` when the connection has ended. */
type Watcher = (isOver: boolean) => void;

function watch<T>(
  watchers: Set<Watcher>,
  isOver: boolean,
  see: () => T | undefined,
  withinMs: number,
  { after }: Clock,
) {
  const seen = see();
  if (seen !== undefined || isOver) return Promise.resolve(seen);
  return new Promise<T | undefined>((resolve) => {
    const end = (value: T | undefined) => {
      cancel();
      watchers.delete(check);
      resolve(value);
    };
    const check: Watcher = (isLast) => {
      const value = see();
      if (value !== undefined || isLast) end(value);
    };
    const cancel = after(withinMs, () => end(undefined));
    watchers.add(check);
  });
}
