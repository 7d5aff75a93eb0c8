import { type Logger, pino, stdTimeFunctions } from 'pino';
import pretty from 'pino-pretty';

export type { Logger } from 'pino';

const token = /apt_[A-Za-z0-9_-]{20,}/g;

/** Replaces everything that looks like a bearer token, wherever it came from. */
export function hideTokens(line: string): string {
  return line.includes('apt_') ? line.replace(token, 'apt_(hidden)') : line;
}

/** Where lines go, and whether people or programs read them. */
export interface LogTarget {
  readonly stream: NodeJS.WritableStream;
  readonly isTerminal: boolean;
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
