import { createRequire } from 'node:module';
import type { AvailabilityReporter } from '../availability.ts';
import { withDeadline } from './deadline.ts';
import { keepConnected } from './reconnect.ts';

/**
 * The time limit for a response. A request waits for a few Redis responses in a row; even if each takes nearly this
 * long, the request takes less than 2 s.
 */
const answerTimeoutMs = 300;

/** The time limit for connecting, authenticating and preparing; longer for the first connection, at server start. */
const [firstOpenTimeoutMs, openTimeoutMs] = [10_000, 1_000];

/** How often a connection is tested; otherwise a frozen Redis would go unnoticed while there is no traffic. */
const probeEveryMs = 1_000;

// The client is loaded with the first connection, because it has hundreds of modules that most servers do not need.
const require = createRequire(import.meta.url);

export type RedisClient = ReturnType<typeof import('@redis/client').createClient>;

interface ConnectionDependencies {
  readonly url: string;
  readonly report: AvailabilityReporter;
  /** Runs on each new connection before anything else. */
  prepare?(client: RedisClient): Promise<unknown>;
  /** Verifies that the connection works; runs on each new connection and then every second. */
  probe(client: RedisClient): Promise<unknown>;
  /** Called after `prepare` and `probe` have succeeded on a new connection. */
  opened?(): void;
}

interface RedisConnection {
  /** Runs commands. Rejects if they fail or time out, and immediately if there is no connection. */
  run<T>(commands: (client: RedisClient) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface Link {
  readonly client: RedisClient;
  readonly end: (cause: unknown) => void;
}

/**
 * Opens a connection and replaces it whenever it breaks. A failed call also ends the connection, because the client has
 * no time limit for commands already sent. A Redis that froze, is full or became a replica is not used again until
 * `probe` succeeds.
 */
export function openRedis(parts: ConnectionDependencies): RedisConnection {
  const closing = new AbortController();
  // Calls wait until the first attempt has ended.
  const first = Promise.withResolvers<Link>();
  let link = first.promise;
  const setLink = (next: Promise<Link>) => {
    link = next;
    first.resolve(next);
    // Prevents an unhandled rejection if no call is waiting.
    first.promise.catch(() => undefined);
    next.catch(() => undefined);
  };
  let openWithinMs = firstOpenTimeoutMs;
  const hold = async () => {
    const connected = holdConnection(parts, openWithinMs, setLink, closing.signal);
    openWithinMs = openTimeoutMs;
    const cause = await connected.catch((error: unknown) => error);
    setLink(Promise.reject(cause));
    return cause;
  };
  const running = keepConnected(hold, (cause) => parts.report(false, cause), closing.signal);

  return {
    run: (commands) => runOn(link, commands),
    close: async () => {
      closing.abort(new Error('The connection to Redis is closed.'));
      await running;
    },
  };
}

async function runOn<T>(link: Promise<Link>, commands: (client: RedisClient) => Promise<T>): Promise<T> {
  let used: Link | undefined;
  const work = link.then((current) => {
    used = current;
    return commands(current.client);
  });
  try {
    return await withDeadline(answerTimeoutMs, work, 'Redis did not answer');
  } catch (error) {
    used?.end(error);
    throw error;
  }
}

/** Keeps a connection open until it breaks, a call fails or `signal` aborts, and returns the cause. */
async function holdConnection(
  { url, report, prepare, probe, opened }: ConnectionDependencies,
  openWithinMs: number,
  setLink: (link: Promise<Link>) => void,
  signal: AbortSignal,
): Promise<unknown> {
  const client = createClient(url, openWithinMs);
  const ended = Promise.withResolvers<unknown>();
  const abort = () => ended.resolve(signal.reason);
  client.on('error', ended.resolve);
  signal.addEventListener('abort', abort, { once: true });
  let probing: NodeJS.Timeout | undefined;
  const opening = client.connect().then(async () => {
    await prepare?.(client);
    await probe(client);
  });
  try {
    const isOpen = opening.then(() => true);
    const whole = withDeadline(openWithinMs, isOpen, 'Redis did not accept the connection');
    if ((await Promise.race([whole, ended.promise])) !== true) return await ended.promise;
    const link = Promise.resolve({ client, end: ended.resolve });
    probing = setInterval(() => void runOn(link, probe).catch(() => undefined), probeEveryMs).unref();
    setLink(link);
    report(true);
    opened?.();
    return await ended.promise;
  } finally {
    clearInterval(probing);
    signal.removeEventListener('abort', abort);
    client.destroy();
    // A connection that is still opening is destroyed again once it has opened.
    opening.finally(() => client.destroy()).catch(() => undefined);
  }
}

function createClient(url: string, connectTimeout: number): RedisClient {
  const redis: typeof import('@redis/client') = require('@redis/client');
  return redis.createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout, reconnectStrategy: false },
  });
}
