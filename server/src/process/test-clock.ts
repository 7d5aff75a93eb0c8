import type { App } from '../app.ts';
import type { ServerTime } from '../store/clock/database-clock.ts';
import type { Store } from '../store/store.ts';

/** How soon the timers of a server notice that another process has moved the clock; requests notice it immediately. */
const readEveryMs = 200;

/** The server's part of a test clock. */
interface FollowedClock {
  /** Reads the clock, and does what its move has made due. */
  readonly moved: () => Promise<void>;
  close(): void;
}

/**
 * Keeps a server at its test clock. Every process of the database may move it, so a server that shares its database
 * reads it before each request and several times a second.
 */
export function followTestClock(app: App, time: ServerTime, { kind }: Store): FollowedClock {
  const moved = async () => {
    if (await time.readOffset()) app.clockMoved();
  };
  // A database that does not answer is reported by the request itself.
  const tryMoved = () => moved().catch(() => undefined);
  // Clients read the time of the server there.
  app.http.addHook('onSend', async (_request, reply) => {
    reply.header('date', time.clock().toUTCString());
  });
  if (kind === 'pglite') return { moved, close: () => undefined };
  app.http.addHook('onRequest', async ({ url }) => {
    // Liveness does not wait for the database.
    if (!url.startsWith('/health/')) await tryMoved();
  });
  let isReading = false;
  const reading = setInterval(async () => {
    // A database that does not answer would otherwise collect readings.
    if (isReading) return;
    isReading = true;
    await tryMoved();
    isReading = false;
  }, readEveryMs).unref();
  return { moved, close: () => clearInterval(reading) };
}
