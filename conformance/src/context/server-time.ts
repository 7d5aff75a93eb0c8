import { isTimestamp } from './expectations.ts';
import type { Exchange } from './http/http-client.ts';
import { isObject, listStrings } from './json.ts';
import { registerPath } from './paths.ts';

/** Smaller differences between clocks are normal. */
const differenceMinMs = 60_000;
/** Smaller differences may be caused by time zones. */
const hiddenMinMs = 15 * 3_600_000;

/** The time of a server whose clock this or an earlier run may have moved. */
export type ServerTime = ReturnType<typeof openServerTime>;

/** Derives the server's time from its answers; `ownNow` returns milliseconds since 1970. */
export function openServerTime(ownNow: () => number) {
  let aheadMs = 0;
  /** How far the server's clock is ahead of its `Date` headers, if moving the clock does not affect these. */
  let hiddenMs = 0;
  const now = () => ownNow() + aheadMs + hiddenMs;
  return {
    now,
    /** Updates the time from the `Date` header of an answer and from the timestamps of a newly registered agent. */
    observe: (exchange: Exchange): void => {
      const differenceMs = Date.parse(exchange.headers['date'] ?? '') - ownNow();
      if (!Number.isNaN(differenceMs)) aheadMs = Math.abs(differenceMs) < differenceMinMs ? 0 : differenceMs;
      const { request, status, json } = exchange;
      if (request.path !== registerPath || status !== 201 || !isObject(json)) return;
      // The earliest timestamp of a new agent is its time of creation, which is the server's current time.
      const times = listStrings(json['bot']).flatMap(({ text }) => (isTimestamp(text) ? [Date.parse(text)] : []));
      const createdMs = Math.min(...times);
      if (times.length > 0 && createdMs - now() > hiddenMinMs) hiddenMs += createdMs - now();
    },
    /** Records that the clock was moved although `Date` headers do not show it. */
    assume: (ms: number): void => {
      hiddenMs += ms;
    },
  };
}
