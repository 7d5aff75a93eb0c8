import { type Clock, hour, second } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { formatArray } from '../store/statements/parameters.ts';
import { prepareSqlText, runPreparedStatement } from '../store/statements/prepared.ts';
import type { Store } from '../store/store.ts';

/** Records when agents were last seen, to the hour, so that most requests need no write. */
export interface LastSeenRecorder {
  /** Called for each authenticated request and regularly for each open event connection. */
  note(agentId: string): void;
  close(): Promise<void>;
}

const writeEveryMs = 10 * second;
const exactToMs = hour;
/** The maximum number of remembered agents. Above it, all are forgotten, and each is written when it is next seen. */
const rememberedMax = 100_000;
const agentsPerStatement = 1_000;

// Writes in id order, so that processes that write the same agents wait for each other instead of deadlocking.
const writeLastSeen = prepareSqlText<never>(
  'write-last-seen',
  `insert into agent_visits (agent_id, seen_at)
   select id, $2::timestamptz from unnest($1::uuid[]) as seen (id) order by id
   on conflict (agent_id) do update set seen_at = excluded.seen_at where agent_visits.seen_at < excluded.seen_at`,
);

export function startLastSeenRecorder(store: Store, clock: Clock, log: Logger): LastSeenRecorder {
  const notedAt = new Map<string, number>();
  const due = new Set<string>();
  let writing: Promise<void> = Promise.resolve();

  const write = async () => {
    const ids = [...due].sort();
    due.clear();
    for (let at = 0; at < ids.length; at += agentsPerStatement) {
      const values = [formatArray(ids.slice(at, at + agentsPerStatement)), clock()];
      await store.transact((writer) => runPreparedStatement(writer, writeLastSeen, values));
    }
  };
  const writeSoon = () => {
    // A failed write is not retried, because the agents are recorded again when they are seen after an hour.
    writing = writing
      .then(write)
      .catch((err: unknown) => log.debug({ err }, 'could not record when agents were last seen'));
    return writing;
  };
  const timer = setInterval(() => {
    if (due.size > 0) void writeSoon();
  }, writeEveryMs).unref();

  return {
    note: (agentId) => {
      const nowMs = clock().getTime();
      const before = notedAt.get(agentId);
      if (before !== undefined && nowMs - before < exactToMs) return;
      if (notedAt.size >= rememberedMax) notedAt.clear();
      notedAt.set(agentId, nowMs);
      due.add(agentId);
    },
    close: async () => {
      clearInterval(timer);
      if (due.size > 0) await writeSoon();
      await writing;
    },
  };
}
