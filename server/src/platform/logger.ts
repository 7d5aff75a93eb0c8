import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import pretty from 'pino-pretty';

export type { Logger } from 'pino';

const token = /apt_[A-Za-z0-9_-]{20,}/g;

/** Replaces everything that looks like a bearer token, wherever it came from. */
export function hideTokens(line: string): string {
  return line.includes('apt_') ? line.replace(token, 'apt_(hidden)') : line;
}

/** Where lines go, and whether people or programs read them. */
export interface LogTarget {
  readonly stream: DestinationStream | NodeJS.WritableStream;
  readonly isTerminal: boolean;
}

/**
 * Lines to a file descriptor, written in the background: a reader that is slow
 * holds no request up. What is left is written when the process ends.
 */
export function backgroundStream(fileDescriptor: number): DestinationStream {
  return destination({ dest: fileDescriptor, sync: false });
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
