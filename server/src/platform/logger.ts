import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import pretty from 'pino-pretty';

export type { Logger } from 'pino';

const token = /apt_[A-Za-z0-9_-]{20,}/g;

/** Replaces everything that looks like a bearer token, wherever it came from. */
export function hideTokens(line: string): string {
  return line.includes('apt_') ? line.replace(token, 'apt_(hidden)') : line;
}

/** Where lines go, and whether people or programs read them. */
interface LogTarget {
  readonly stream: DestinationStream | NodeJS.WritableStream;
  readonly isTerminal: boolean;
}

/** What may wait for a slow reader; lines beyond it are dropped. */
const waitingMaxBytes = 16 * 1024 * 1024;

/** Lines that come close together are written together: so long after the first at most, and so many characters. */
const gatherMs = 10;
const gatherMax = 16_384;

/** Lines on their way to a file descriptor. */
export interface BackgroundStream {
  readonly stream: DestinationStream;
  /** Writes what is left, as far as the reader takes it in this time; nothing can be written afterwards. */
  finish(withinMs: number): void;
}

/**
 * Lines to a file descriptor, written in the background: a reader that is slow
 * holds no request up, and one that stalls does not hold up the end.
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
      // The reader took nothing more; what is left is lost with it.
    }
    stream.destroy();
  };
  return { stream: gathered, finish };
}

/** The logger itself asks for `flushSync` after a fatal line. */
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
