import type { Hooks } from '@agent-platform/sdk';
import type { Io } from '../io/io.ts';
import { toVisibleLine } from './visible-text.ts';

const longWaitMs = 2_000;

/** Tells a person why nothing happens: the next attempt is some seconds away. */
export function explainLongWaits(io: Pick<Io, 'stderr'>): Hooks {
  return {
    onRetry: ({ error, waitMs }) => {
      if (!io.stderr.isTerminal || waitMs < longWaitMs) return;
      io.stderr.write(`${toVisibleLine(`agentp: ${error.message} Next attempt in ${Math.round(waitMs / 1000)} s.`)}\n`);
    },
  };
}

/** Tells a person when the event stream is away and when it comes back. */
export function explainStream(io: Pick<Io, 'stderr'>): Hooks {
  let isAway = false;
  return {
    onStream: (info) => {
      if (info.state === 'open') {
        if (isAway) io.stderr.write('agentp: the event stream is back.\n');
        isAway = false;
        return;
      }
      isAway = true;
      const seconds = Math.max(1, Math.round(info.waitMs / 1_000));
      io.stderr.write(
        `${toVisibleLine(`agentp: the event stream is away (${info.why}); next attempt in ${seconds} s.`)}\n`,
      );
    },
  };
}

/** Tells of every request on stderr: method, address, status, time and request id. Headers and bodies hold secrets and stay out. */
export function traceRequests(io: Pick<Io, 'stderr'>): Hooks {
  const say = (text: string): void => io.stderr.write(`${toVisibleLine(text)}\n`);
  return {
    onRequest: ({ method, url, attempt }) => say(`> ${method} ${url}${attempt === 1 ? '' : ` (attempt ${attempt})`}`),
    onResponse: ({ status, durationMs, requestId }) => {
      say(`< ${status} in ${Math.round(durationMs)} ms, request ${requestId ?? 'without an id'}`);
    },
    onRetry: ({ error, waitMs }) => say(`! ${error.message}; next attempt in ${Math.round(waitMs)} ms`),
  };
}
