import type { Logger } from '../logger.ts';

/** The most lines per minute for refusals of requests without a valid token; the others are counted. */
export const anonymousRefusalsPerMinute = 100;

/** The longest text from a request in a line; every path of the API is shorter. */
export const loggedTextMaxLength = 200;

interface RefusalLine {
  readonly [member: string]: unknown;
  /** The code of the error, or of the end of an event connection. */
  readonly code: string | number;
}

/** Logs refusals whose sender is unknown. */
export interface RefusalLog {
  /** Logs a line, or counts its code when there were too many within the minute; it is then at level debug. */
  write(line: RefusalLine, message: string): void;
  /** Logs the counts so far. */
  close(): void;
}

/**
 * Opens the log of refusals whose sender is unknown. Anybody can cause them, so
 * their number is bounded; at the end of a minute a line has the number of those
 * that were left out, for each code.
 */
export function openRefusalLog(log: Logger): RefusalLog {
  let written = 0;
  let leftOut: Record<string, number> = {};
  let minute: NodeJS.Timeout | undefined;
  const close = () => {
    clearTimeout(minute);
    minute = undefined;
    written = 0;
    if (Object.keys(leftOut).length > 0) log.info({ left_out: leftOut }, 'refusals omitted from the log');
    leftOut = {};
  };
  return {
    write: (line, message) => {
      minute ??= setTimeout(close, 60_000).unref();
      if (written < anonymousRefusalsPerMinute) {
        written += 1;
        log.info(line, message);
        return;
      }
      leftOut[line.code] = (leftOut[line.code] ?? 0) + 1;
      log.debug(line, message);
    },
    close,
  };
}

/** Cuts a text that a client chose, so that no request makes its line in the log long. */
export function cutForLog(text: string): string {
  return text.length <= loggedTextMaxLength ? text : `${text.slice(0, loggedTextMaxLength)}…`;
}
