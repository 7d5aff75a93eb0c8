import Type from 'typebox';
import { minute } from '../../platform/clock.ts';
import { runRetention } from '../../retention/retention-commands.ts';
import { advanceClock, testClockAheadMaxSeconds } from '../../store/clock/stored-clock.ts';
import { confirmTime } from '../../store/clock/uncertain-time.ts';
import { formatDurationSeconds } from '../checks/test-clock.ts';
import { defineOperatorCommand, makeArgumentsSchema } from '../command.ts';
import { OperatorFailure } from '../failure.ts';
import { formatTime } from '../format.ts';
import { describeRemovedContent, openOwnStorage, requireAgreedTime } from './retention.ts';

export const advanceClockCommand = defineOperatorCommand({
  name: 'clock advance',
  summary: 'move the test clock forward on all servers, and remove content that has then expired',
  arguments: makeArgumentsSchema({
    seconds: Type.Integer({
      title: 'seconds',
      minimum: 1,
      maximum: testClockAheadMaxSeconds,
      description: `number of seconds, 1 to ${testClockAheadMaxSeconds}`,
    }),
  }),
  // The limit is long, because retention removes files one by one.
  answerWithinMs: 10 * minute,
  run: async (parts, { seconds }) => {
    const { settings, record, announce } = parts;
    // If only the database has a test clock, opening it fails with a more specific hint.
    const store = await parts.store.upToDate();
    if (settings.clock !== 'test') throw new OperatorFailure('system_clock', systemClock);
    // Errors that would prevent a removal are detected before the clock is advanced.
    const storage = await openOwnStorage(store, settings);
    await requireAgreedTime(store, parts);
    const ahead_seconds = await store.transact(async (writer) => {
      const ahead = await advanceClock(writer, seconds);
      if (ahead === undefined) throw new OperatorFailure('clock_limit', clockLimit);
      await record(writer, [{ details: { seconds, ahead_seconds: ahead } }]);
      return ahead;
    });
    await parts.clockMoved();
    const now = parts.clock();
    const isKept = settings.retentionEveryMinutes === 0;
    const removed = isKept ? null : await runRetention({ store, storage, terms: settings, announce }, now);
    return { seconds, ahead_seconds, now: now.toISOString(), removed };
  },
  audit: (result) => result,
  format: ({ seconds, ahead_seconds, now, removed }) =>
    [
      `Moved the clock ${formatDurationSeconds(seconds)} forward, to ${formatTime(now)}; it is ${formatDurationSeconds(ahead_seconds)} ahead.`,
      removed === null
        ? 'Removed nothing: PLATFORM_RETENTION_EVERY_MINUTES is 0.'
        : `Removed ${describeRemovedContent(removed)}.`,
    ].join('\n'),
});

export const confirmClockCommand = defineOperatorCommand({
  name: 'clock confirm',
  summary: 'confirm that the database clock is correct, so that servers delete expired content again',
  run: async (parts) => {
    const store = await parts.store.upToDate();
    const now = await requireAgreedTime(store, parts);
    await store.transact(async (writer) => {
      await confirmTime(writer, now);
      await parts.record(writer, [{ details: { now: now.toISOString() } }]);
    });
    return { now: now.toISOString() };
  },
  audit: (result) => result,
  format: ({ now }) => `Confirmed the time ${formatTime(now)}. Servers delete expired content again.`,
});

const systemClock =
  'This database uses the system clock, which cannot be moved. A test clock needs a new database that is created with PLATFORM_CLOCK=test.';

const clockLimit = `A test clock can be at most ${testClockAheadMaxSeconds} s ahead. It was not moved. Create a new database.`;
