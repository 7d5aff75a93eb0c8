import { finishErasures } from '../agent-data/finish-erasure-commands.ts';
import { checkUnreadFiles } from '../attachments/damage/check-rounds-commands.ts';
import {
  type RetentionDependencies as FileRetentionDependencies,
  removeExpiredFiles,
} from '../attachments/file-retention-commands.ts';
import { dropExpiredEvents, type EventAnnouncer } from '../events/event-commands.ts';
import { removeEndedTokens } from '../identity/tokens/token-retention-commands.ts';
import { removeExpiredMessageContent } from '../messages/message-retention-commands.ts';
import { type Clock, computeDeletionCutoff, deletionDelayMs, minute, type RemovalTime } from '../platform/clock.ts';
import { logLevelOf } from '../platform/error-facts.ts';
import type { Logger } from '../platform/logger.ts';
import { runBatches } from '../platform/semaphore.ts';
import { removeDeletedPosts } from '../posts/post-retention-commands.ts';
import type { Store } from '../store/store.ts';
import { reclaimSpace } from './reclaim-commands.ts';

interface RetentionDependencies extends FileRetentionDependencies {
  readonly announce: EventAnnouncer;
}

/**
 * Removes everything that expired `delayMs` before `now` (§9.14 to §9.21): the content of messages, their
 * unacknowledged events, deleted posts, the bytes of files, tokens, and the remaining data of erased agents. Files
 * that were never attached are removed without delay. Concurrent runs, on any instance, alternate batch by batch.
 */
export async function runRetention(parts: RetentionDependencies, now: Date, delayMs = 0) {
  const due = computeDeletionCutoff(now, delayMs);
  await finishErasures({ ...parts, clock: () => now });
  const messages = await removeExpiredMessageContent(parts.store, due);
  const events = await removeExpiredEvents(parts.store, due);
  const posts = await removeDeletedPosts(parts.store, due, parts.terms.detachedFileDays);
  const files = await removeExpiredFiles(parts, now, due);
  return { messages, events, posts, files, tokens: await removeEndedTokens(parts.store, due) };
}

const eventsPerBatch = 1_000;

async function removeExpiredEvents(store: Store, now: Date): Promise<number> {
  return await runBatches(eventsPerBatch, () =>
    store.transact((writer) => dropExpiredEvents(writer, now, eventsPerBatch)),
  );
}

interface RetentionJobDependencies extends RetentionDependencies {
  readonly removalTime: RemovalTime;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The delay of the first run is short, so that a server that stops before the interval ends still makes a run. */
const firstAfterMs = minute;

/** Node.js fires a timer with a longer delay immediately. */
const timerMaxMs = 2 ** 31 - 1;

/** How often space is reclaimed. In this time, one agent within its limits may add up to 20 MB. */
const reclaimEveryMs = minute;

/**
 * Runs retention periodically; `everyMs` of 0 means never. It always reclaims the space of an embedded database
 * and checks the stored files. `close` prevents new runs and waits for the current one.
 */
export function startRetention({ removalTime, clock, log, ...parts }: RetentionJobDependencies, everyMs: number) {
  const remove = async () => {
    const now = removalTime();
    if (now === undefined) return;
    const removed = await runRetention(parts, now, deletionDelayMs);
    if (Object.values(removed).some((count) => count > 0)) log.info(removed, 'retention removed expired content');
  };
  const reclaim = async () => {
    const done = await reclaimSpace(parts.store);
    if (done.checkpoint || done.vacuumed.length > 0) log.info(done, 'space of the embedded database reclaimed');
  };
  let isClosing = false;
  const check = () => checkUnreadFiles({ ...parts, log }, clock(), () => isClosing);
  const late = (work: string) => (err: unknown) => log[logLevelOf(err)]({ err }, `${work} did not finish; will retry`);
  const jobs = [
    repeat(remove, everyMs, late('retention')),
    repeat(reclaim, parts.store.kind === 'pglite' ? reclaimEveryMs : 0, late('retention')),
    repeat(check, minute, late('the check of stored files')),
  ];
  return {
    close: async () => {
      isClosing = true;
      for (const job of jobs) await job.close();
    },
  };
}

function repeat(work: () => Promise<void>, everyMs: number, failed: (error: unknown) => void) {
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
    running = work()
      .catch(failed)
      .finally(() => {
        isRunning = false;
      });
  }

  return {
    close: async () => {
      for (const timer of timers) clearTimeout(timer);
      await running;
    },
  };
}
