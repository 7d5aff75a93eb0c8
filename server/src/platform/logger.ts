import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import pretty from 'pino-pretty';

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

/** Upper limit of lines that wait for a slow reader; further lines are dropped. */
const waitingMaxBytes = 16 * 1024 * 1024;

/** Lines are written in groups: at most so long after the first line, and of so many characters. */
const gatherMs = 10;
const gatherMax = 16_384;

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
  const gathered = gather(stream);
  const finish = (withinMs: number) => {
    givesUpAt = performance.now() + withinMs;
    try {
      gathered.flushSync();
    } catch {
      // The reader is gone; the remaining lines are lost.
    }
    stream.destroy();
  };
  return { stream: gathered, finish };
}

/** The logger calls `flushSync` after a fatal line. */
function gather(stream: { write(text: string): unknown; flushSync(): void }) {
  let text = '';
  let timer: NodeJS.Timeout | undefined;
  const pass = () => {
    clearTimeout(timer);
    timer = undefined;
    const passing = text;
    text = '';
    if (passing !== '') stream.write(passing);
  };
  return {
    write: (line: string) => {
      text += line;
      if (text.length >= gatherMax) pass();
      else timer ??= setTimeout(pass, gatherMs);
    },
    flushSync: () => {
      pass();
      stream.flushSync();
    },
  };
}

/** Makes the logger: JSON lines for programs, readable ones on a terminal. */
export function makeLogger(level: string, target: LogTarget): Logger {
  const stream = target.isTerminal
    ? pretty({
        destination: target.stream,
        colorize: true,
        ignore: 'pid,hostname',
        translateTime: 'SYS:HH:MM:ss.l',
        sync: true,
      })
    : target.stream;
  return pino({ level, base: null, timestamp: stdTimeFunctions.isoTime, hooks: { streamWrite: hideTokens } }, stream);
}
