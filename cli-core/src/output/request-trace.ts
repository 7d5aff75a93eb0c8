import type { Hooks } from '@agent-platform/sdk';
import type { Io } from '../io/io.ts';
import { toVisibleLine } from './visible-text.ts';

const longWaitMs = 2_000;

/** Hooks that report a long wait before the next attempt, if stderr is a terminal. */
export function makeLongWaitHooks(io: Pick<Io, 'stderr'>): Hooks {
  return {
    onRetry: ({ error, waitMs }) => {
      if (!io.stderr.isTerminal || waitMs < longWaitMs) return;
      io.stderr.write(`${toVisibleLine(`agentp: ${error.message} Next attempt in ${Math.round(waitMs / 1000)} s.`)}\n`);
    },
  };
}

/** Hooks that report token rotations, and when the event stream closes and reopens. */
export function makeStreamChangeHooks(io: Pick<Io, 'stderr'>): Hooks {
  let isClosed = false;
  return {
    onTokenRotation: (info) => {
      const end = info.tokenExpiresAt ?? 'an unknown time';
      if (info.state === 'rotated') return io.stderr.write(`agentp: the token was rotated; it expires at ${end}.\n`);
      const why = info.error instanceof Error ? info.error.message : String(info.error);
      const text = `agentp: the token, which expires at ${end}, could not be rotated (${why}); next attempt in ${Math.round(info.waitMs / 1_000)} s. Try it now: agentp tokens rotate`;
      io.stderr.write(`${toVisibleLine(text)}\n`);
    },
    onStream: (info) => {
      if (info.state === 'open') {
        if (isClosed) io.stderr.write('agentp: the event stream is open again.\n');
        isClosed = false;
        return;
      }
      isClosed = true;
      const seconds = Math.max(1, Math.round(info.waitMs / 1_000));
      io.stderr.write(
        `${toVisibleLine(`agentp: the event stream is closed (${info.why}); next attempt in ${seconds} s.`)}\n`,
      );
    },
  };
}

/** Hooks that print each request on stderr: method, address, status, time and id, but no headers or bodies. */
export function makeRequestTraceHooks(io: Pick<Io, 'stderr'>): Hooks {
  const print = (text: string): void => io.stderr.write(`${toVisibleLine(text)}\n`);
  return {
    onRequest: ({ method, url, attempt }) => print(`> ${method} ${url}${attempt === 1 ? '' : ` (attempt ${attempt})`}`),
    onResponse: ({ status, durationMs, requestId }) => {
      print(`< ${status} in ${Math.round(durationMs)} ms, request ${requestId ?? 'without an id'}`);
    },
    onRetry: ({ error, waitMs }) => print(`! ${error.message}; next attempt in ${Math.round(waitMs)} ms`),
  };
}
