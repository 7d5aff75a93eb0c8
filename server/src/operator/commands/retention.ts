import { openStorage } from '../../attachments/attachments-setup.ts';
import { requireOwnStorage } from '../../attachments/storage-claim-commands.ts';
import type { FileStorage } from '../../files/storage.ts';
import { deletionDelayMs } from '../../platform/clock.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import { runRetention } from '../../retention/retention-commands.ts';
import { DatabaseClock, describeClockDifference, removalDifferenceMaxMs } from '../../store/clock/database-clock.ts';
import { describeUncertainty, findUncertainty } from '../../store/clock/uncertain-time.ts';
import type { Store } from '../../store/store.ts';
import { defineOperatorCommand, makeArgumentsSchema, timeOption } from '../command.ts';
import { OperatorFailure } from '../failure.ts';
import { formatTime } from '../format.ts';
import { parseTime } from '../parse-time.ts';
import type { OperatorDependencies } from '../parts.ts';

export const runRetentionCommand = defineOperatorCommand({
  name: 'retention run',
  summary: 'remove message content, files, deleted posts and tokens that expired at least 7 days ago',
  arguments: makeArgumentsSchema({
    now: timeOption('time', 'remove content that expired before this date or time with a zone; default: 7 days ago'),
  }),
  run: async (parts, { now }) => {
    const named = now === undefined ? undefined : parseTime('--now', now);
    const store = await parts.store.upToDate();
    const { announce } = parts;
    const storage = await openOwnStorage(store, parts.settings);
    const at = named ?? (await requireCertainTime(store, parts));
    // Record the act first, because many transactions follow and the run may be interrupted.
    await store.transact((writer) => parts.record(writer, [{ details: { now: at.toISOString() } }]));
    const delayMs = named === undefined ? deletionDelayMs : 0;
    const removed = await runRetention({ store, storage, terms: parts.settings, announce }, at, delayMs);
    return { now: at.toISOString(), ...removed };
  },
  audit: (result) => result,
  format: ({ now, ...removed }) => `Removed ${describeRemovedContent(removed)} as of ${formatTime(now)}.`,
});

export function describeRemovedContent({
  messages,
  files,
  posts,
  tokens,
}: Awaited<ReturnType<typeof runRetention>>): string {
  return `the content of ${messages} message(s) and ${files} file(s), ${posts} deleted post(s) and ${tokens} ended token(s)`;
}

/** Refuses a storage that does not belong to the database. */
export async function openOwnStorage(store: Store, settings: Settings): Promise<FileStorage> {
  const storage = openStorage(settings);
  await requireOwnStorage(store, storage);
  return storage;
}

/** Reads the current time; refuses if the clocks of machine and database disagree, or if the time is uncertain. */
export async function requireCertainTime(store: Store, parts: OperatorDependencies): Promise<Date> {
  const now = await requireAgreedTime(store, parts);
  const uncertainty = await findUncertainty(store, now);
  if (uncertainty !== undefined) throw new OperatorFailure('time_uncertain', describeUncertainty(uncertainty));
  return parts.clock();
}

/** Reads the database time without the offset of a test clock; refuses if the machine's clock disagrees with it. */
export async function requireAgreedTime(
  store: Store,
  { machineClock }: Pick<OperatorDependencies, 'machineClock'>,
): Promise<Date> {
  const clock = new DatabaseClock(store, machineClock);
  const differenceMs = await clock.compare();
  if (Math.abs(differenceMs) <= removalDifferenceMaxMs) return clock.withoutOffset();
  const message = `${describeClockDifference(differenceMs)} Nothing was removed. Synchronize both with a time server, or pass the time to "retention run" with --now.`;
  throw new OperatorFailure('clocks_disagree', message);
}
