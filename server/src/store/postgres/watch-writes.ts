import { sql } from 'kysely';
import { makeAvailabilityReporter } from '../../platform/availability.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Store } from '../store.ts';
import { StoreReadOnlyError, StoreUnavailableError } from '../unavailable.ts';

const tryAgainEveryMs = 2_000;
const answerWithinMs = 4_000;

/**
 * Wraps a store so that `ping` fails while the database does not accept writes: from the first write that fails for
 * this reason until writes are possible again.
 */
export function watchWrites(store: Store, log: Logger): Store {
  let failure: StoreReadOnlyError | undefined;
  let trying: NodeJS.Timeout | undefined;
  const report = makeAvailabilityReporter(log, {
    lost: 'the database does not accept writes: requests that write return 503, all others are served',
    restored: 'the database accepts writes again',
  });
  const note = (error: unknown): never => {
    if (error instanceof StoreReadOnlyError) {
      failure = error;
      report(false, error.cause ?? error);
      trying ??= setInterval(() => void tryAgain().catch(() => undefined), tryAgainEveryMs).unref();
    }
    throw error;
  };
  const tryAgain = async () => {
    await requireWrites(store);
    clearInterval(trying);
    trying = failure = undefined;
    report(true);
  };
  return {
    ...store,
    run: (prepared, values) => store.run(prepared, values).catch(note),
    ask: (statement, values) => store.ask(statement, values).catch(note),
    transact: (work) => store.transact(work).catch(note),
    ping: async (timeoutMs) => {
      await store.ping(timeoutMs).catch(note);
      if (failure !== undefined) throw failure;
    },
    close: async () => {
      clearInterval(trying);
      await store.close();
    },
  };
}

/** Fails unless the database accepts writes: PostgreSQL must create a temporary table; PGlite is only pinged. */
export async function requireWrites(store: Pick<Store, 'kind' | 'ping' | 'transact'>): Promise<void> {
  await store.ping(answerWithinMs);
  if (store.kind === 'pglite') return;
  const write = sql`
    create temporary table agent_platform_probe on commit drop as
    select repeat(md5(number::text), 30) as filling from generate_series(1, 1000) as numbers (number)`;
  await store
    .transact((writer) => write.execute(writer))
    .catch((error: unknown) => {
      // A role that may not create this table may still write elsewhere.
      if (error instanceof StoreUnavailableError) throw error;
    });
}
