import { createCipheriv, randomBytes } from 'node:crypto';
import { type ChannelKind, listenOnlyChannels, type RunWorld } from './world.ts';

/** Receives the inputs and outputs of a run, in order. */
export interface Recorder {
  /** The 48 bytes from which all random values are derived. */
  readonly entropy: Buffer;
  asks(line: string, input: unknown): void;
  says(line: string, data: string | Uint8Array): void;
  hears(line: string, atMs: number, event: unknown): void;
  value(what: string, input: unknown, value: unknown): void;
  hide(secret: string, isWrong: boolean): void;
}

/** With a recorder, everything is recorded, and time only advances when an event arrives. */
export function openLiveWorld(recorder?: Recorder, startMs = Date.now()): RunWorld {
  const startedMs = performance.now();
  const realNow = () => Math.round(startMs + performance.now() - startedMs);
  let atMs = startMs;
  const deliver = openQueue();
  const nameLine = makeChannelNamer();
  return {
    secrets: [],
    now: () => (recorder === undefined ? realNow() : atMs),
    randomBytes: recorder === undefined ? randomBytes : randomStream(recorder.entropy),
    hide: (secret, isWrong) => recorder?.hide(secret, isWrong),
    value: (what, input, make) => {
      const value = make();
      recorder?.value(what, input, value);
      return value;
    },
    open: (kind, input, start, hear) => {
      const line = nameLine(kind);
      let isOpen = true;
      if (!listenOnlyChannels.includes(kind)) recorder?.asks(line, input);
      const outer = start((event) =>
        deliver(() => {
          if (!isOpen) return;
          atMs = realNow();
          recorder?.hears(line, atMs, event);
          hear(event);
        }),
      );
      return {
        send: (data) => {
          recorder?.says(line, data);
          outer.send(data);
        },
        close: () => {
          isOpen = false;
          outer.close();
        },
      };
    },
  };
}

export function makeChannelNamer(): (kind: ChannelKind) => string {
  const opened = new Map<ChannelKind, number>();
  return (kind) => {
    const number = (opened.get(kind) ?? 0) + 1;
    opened.set(kind, number);
    return `${kind} ${number}`;
  };
}

/** Returns a function that derives random bytes from these 48 bytes: a cipher key and an initial counter. */
export function randomStream(entropy: Buffer): (size: number) => Buffer {
  const cipher = createCipheriv('aes-256-ctr', entropy.subarray(0, 32), entropy.subarray(32, 48));
  return (size) => cipher.update(Buffer.alloc(size));
}

// Delivers one event per turn of the event loop, so that all its effects happen before the next one.
function openQueue(): (event: () => void) => void {
  const waiting: (() => void)[] = [];
  const next = () => {
    const event = waiting.shift();
    if (event === undefined) return;
    if (waiting.length > 0) setImmediate(next);
    event();
  };
  return (event) => {
    waiting.push(event);
    if (waiting.length === 1) setImmediate(next);
  };
}
