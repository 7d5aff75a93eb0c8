import type { Logger } from '../logger.ts';

/** The maximum log lines per minute for refused requests without a valid token; the rest are only counted. */
export const anonymousRefusalsPerMinuteMax = 100;

/** The maximum length of a text from a request in a log line; every path of the API is shorter. */
export const loggedTextMaxLength = 200;

interface RefusalLine {
  readonly [member: string]: unknown;
  /** The error code, or the close code of an event connection. */
  readonly code: string | number;
}

export interface RefusalLog {
  /** Logs a line; above the limit per minute, it counts the code and logs at level debug. */
  write(line: RefusalLine, message: string): void;
  /** Logs the counts so far. */
  close(): void;
}

/**
 * Opens the log of refusals of unknown senders. Anyone can cause refusals, so the number of lines is limited; at the
 * end of a minute, a line reports how many refusals with each code were omitted.
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
      if (written < anonymousRefusalsPerMinuteMax) {
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

/** Truncates a text chosen by a client, so that no request makes its log line long. */
export function truncateForLog(text: string): string {
  return text.length <= loggedTextMaxLength ? text : `${text.slice(0, loggedTextMaxLength)}…`;
}
