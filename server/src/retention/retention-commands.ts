import { type FileTerms, removeOldFiles } from '../attachments/file-retention-commands.ts';
import { dropExpiredEvents } from '../events/event-commands.ts';
import type { FileStorage } from '../files/storage.ts';
import { removeExpiredContent } from '../messages/message-retention-commands.ts';
import type { Clock } from '../platform/clock.ts';
import { minute } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Store } from '../store/store.ts';

/** The parts that retention needs. */
interface RetentionParts {
  readonly store: Store;
  readonly storage: FileStorage;
  readonly terms: FileTerms;
}

/** What a run removed. */
interface RemovedCounts {
  /** Messages that lost their content. */
  readonly messages: number;
  /** Events of such messages that were never acknowledged. */
  readonly events: number;
  /** Files that lost their bytes. */
  readonly files: number;
}

/**
 * Removes everything that is expired at `now` (specification, "Limits",
 * Retention). Concurrent runs, on any instance, alternate batch by batch.
 */
export async function runRetention({ store, storage, terms }: RetentionParts, now: Date): Promise<RemovedCounts> {
  const messages = await removeExpiredContent(store, now);
  const events = await removeExpiredEvents(store, now);
  return { messages, events, files: await removeOldFiles({ store, storage, terms }, now) };
}

const eventsPerBatch = 1_000;

async function removeExpiredEvents(store: Store, now: Date): Promise<number> {
  for (let removed = 0; ; ) {
    const count = await store.transact((writer) => dropExpiredEvents(writer, now, eventsPerBatch));
    removed += count;
    if (count < eventsPerBatch) return removed;
  }
}

/** The parts of the retention job. */
interface RetentionJobParts extends RetentionParts {
  readonly clock: Clock;
  readonly log: Logger;
}

/** The periodic runs of a server. */
interface RetentionJob {
  /** Stops further runs and resolves when the current one is done. */
  close(): Promise<void>;
}

/** A server that runs for less than the interval still makes a run. */
const firstAfterMs = minute;

/** A timer with a longer delay fires at once. */
const timerMaxMs = 2 ** 31 - 1;

/** Runs retention periodically; `everyMs` of 0 means never. */
export function startRetention({ clock, log, ...parts }: RetentionJobParts, everyMs: number): RetentionJob {
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;
  if (everyMs === 0) return { close: () => running };
  const timers = [
    setTimeout(start, Math.min(everyMs, firstAfterMs)),
    setInterval(start, Math.min(everyMs, timerMaxMs)),
  ];
  for (const timer of timers) timer.unref();

  function start(): void {
    if (isRunning) return;
    isRunning = true;
    running = run().finally(() => {
      isRunning = false;
    });
  }

  async function run(): Promise<void> {
    try {
      const removed = await runRetention(parts, clock());
      if (removed.messages + removed.events + removed.files > 0) log.info(removed, 'retention removed expired content');
    } catch (error) {
      log.warn({ err: error }, 'retention did not finish; will retry');
    }
  }

  return {
    close: async () => {
      for (const timer of timers) clearTimeout(timer);
      await running;
    },
  };
}
