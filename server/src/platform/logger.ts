import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { errorCodeOf } from './error-facts.ts';

export type { Logger } from 'pino';

const token = /apt_[A-Za-z0-9_-]{20,}/g;

/** Replaces everything that looks like a bearer token. */
export function hideTokens(line: string): string {
  return line.includes('apt_') ? line.replace(token, 'apt_(hidden)') : line;
}

/** The destination of log lines, and whether it is a terminal. */
interface LogTarget {
  readonly stream: DestinationStream | NodeJS.WritableStream;
  readonly isTerminal: boolean;
}

/** The maximum size of lines waiting for a slow reader; later lines are dropped. */
const waitingMaxBytes = 16 * 1024 * 1024;

/** Lines are written in groups, limited by the time since the first line and the number of characters. */
const gatherMs = 10;
const gatherMax = 16_384;
/** The pause before the next attempt to write to a slow reader. */
const slowReaderMs = 10;

export interface BackgroundStream {
  readonly stream: DestinationStream;
  /** Writes the remaining lines within a time limit and closes the stream. */
  finish(withinMs: number): void;
}

/**
 * Writes lines to a file descriptor in the background, so that a slow reader does not delay requests and a stalled
 * reader does not delay the exit.
 */
export function makeBackgroundStream(fileDescriptor: number): BackgroundStream {
  let givesUpAt = Number.POSITIVE_INFINITY;
  const stream = destination({
    dest: fileDescriptor,
    sync: false,
    maxLength: waitingMaxBytes,
    retryEAGAIN: () => performance.now() < givesUpAt,
  });
  const gathered = gather(stream, (text) => writeWhole(fileDescriptor, text, () => performance.now() < givesUpAt));
  const finish = (withinMs: number) => {
    givesUpAt = performance.now() + withinMs;
    try {
      gathered.flushSync();
    } catch {
      // The reader has closed the pipe, so the remaining lines are lost.
    }
    stream.destroy();
  };
  return { stream: gathered, finish };
}

/** Writes lines in groups. The logger calls `flushSync` after a fatal line. */
function gather(stream: { write(text: string): unknown; flushSync(): void }, writeSync: (text: string) => void) {
  let text = '';
  let timer: NodeJS.Timeout | undefined;
  const take = () => {
    clearTimeout(timer);
    timer = undefined;
    const taken = text;
    text = '';
    return taken;
  };
  const pass = () => {
    const passing = take();
    if (passing !== '') stream.write(passing);
  };
  return {
    write: (line: string) => {
      text += line;
      if (text.length >= gatherMax) pass();
      else timer ??= setTimeout(pass, gatherMs);
    },
    flushSync: () => {
      stream.flushSync();
      // Does not use the stream, which would still be writing in the background when this function returns.
      writeSync(take());
    },
  };
}

/** Writes an entire text synchronously, waiting for a slow reader as long as `mayWait` allows. */
function writeWhole(fileDescriptor: number, text: string, mayWait: () => boolean): void {
  let rest: Uint8Array = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fileDescriptor, rest));
    } catch (error) {
      if (errorCodeOf(error) !== 'EAGAIN' || !mayWait()) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, slowReaderMs);
    }
  }
}

/** Makes the logger: JSON lines for programs, formatted lines for a terminal. */
export function makeLogger(level: string, target: LogTarget): Logger {
  const stream = target.isTerminal ? readableLines(target.stream) : target.stream;
  return pino({ level, base: null, timestamp: stdTimeFunctions.isoTime, hooks: { streamWrite: hideTokens } }, stream);
}

// Loads `pino-pretty` only here: a server without a terminal does not need its thirty modules.
function readableLines(terminal: LogTarget['stream']): DestinationStream {
  const pretty = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty');
  return pretty({
    destination: terminal,
    colorize: true,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss.l',
    sync: true,
  });
}
