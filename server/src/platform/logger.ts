import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { codeOf } from './error-facts.ts';

export type { Logger } from 'pino';

const token = /apt_[A-Za-z0-9_-]{20,}/g;

/** Replaces every text with the form of a bearer token. */
export function hideTokens(line: string): string {
  return line.includes('apt_') ? line.replace(token, 'apt_(hidden)') : line;
}

/** The destination of log lines, and whether it is a terminal. */
interface LogTarget {
  readonly stream: DestinationStream | NodeJS.WritableStream;
  readonly isTerminal: boolean;
}

/** Upper limit of lines that wait for a slow reader; lines beyond it are dropped. */
const waitingMaxBytes = 16 * 1024 * 1024;

/** Lines are written in groups: at most so long after the first line, and of so many characters. */
const gatherMs = 10;
const gatherMax = 16_384;
/** The pause before another attempt to write to a reader that is behind. */
const slowReaderMs = 10;

/** A stream of lines to a file descriptor. */
export interface BackgroundStream {
  readonly stream: DestinationStream;
  /** Writes the remaining lines within this time and closes the stream. */
  finish(withinMs: number): void;
}

/**
 * Writes lines to a file descriptor in the background: a slow reader delays no
 * request, and a stalled one does not delay the exit.
 */
export function backgroundStream(fileDescriptor: number): BackgroundStream {
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
      // The reader has closed the pipe; the remaining lines are lost.
    }
    stream.destroy();
  };
  return { stream: gathered, finish };
}

/** The logger calls `flushSync` after a fatal line. */
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
      // Given to the stream, it would still be on its way in the background when this returns.
      writeSync(take());
    },
  };
}

/** Writes all of a text before it returns, and waits for a slow reader while it may. */
function writeWhole(fileDescriptor: number, text: string, mayWait: () => boolean): void {
  let rest: Uint8Array = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fileDescriptor, rest));
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN' || !mayWait()) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, slowReaderMs);
    }
  }
}

/** Makes the logger: JSON lines for programs, readable ones on a terminal. */
export function makeLogger(level: string, target: LogTarget): Logger {
  const stream = target.isTerminal ? readableLines(target.stream) : target.stream;
  return pino({ level, base: null, timestamp: stdTimeFunctions.isoTime, hooks: { streamWrite: hideTokens } }, stream);
}

// Thirty modules, which a server without a terminal starts without.
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
