import type { App } from '../app.ts';
import type { ServerTime } from '../store/clock/database-clock.ts';
import type { Store } from '../store/store.ts';

/** A timer detects within this time that another process has moved the clock; requests detect it immediately. */
const readEveryMs = 200;

interface FollowedClock {
  /** Reads the clock, and runs the work that became due because the clock was moved. */
  readonly moved: () => Promise<void>;
  close(): void;
}

/**
 * Synchronizes a server with its test clock. Any process on the database may move the clock, so a server on a shared
 * database reads it before each request and several times a second.
 */
export function followTestClock(app: App, time: ServerTime, { kind }: Store): FollowedClock {
  const moved = async () => {
    if (await time.readOffset()) app.clockMoved();
  };
  // If the database does not respond, the request itself reports this.
  const tryMoved = () => moved().catch(() => undefined);
  // Clients read the server's time from this header.
  app.http.addHook('onSend', async (_request, reply) => {
    reply.header('date', time.clock().toUTCString());
  });
  if (kind === 'pglite') return { moved, close: () => undefined };
  app.http.addHook('onRequest', async ({ url }) => {
    // Health checks do not wait for the clock, which is read from the database.
    if (!url.startsWith('/health/')) await tryMoved();
  });
  let isReading = false;
  const reading = setInterval(async () => {
    // Otherwise reads would accumulate while the database does not respond.
    if (isReading) return;
    isReading = true;
    await tryMoved();
    isReading = false;
  }, readEveryMs).unref();
  return { moved, close: () => clearInterval(reading) };
}
