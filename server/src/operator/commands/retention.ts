import { openStorage } from '../../attachments/attachments-setup.ts';
import { runRetention } from '../../retention/retention-commands.ts';
import { Arguments, MomentText, operatorCommand } from '../command.ts';
import { formatTime } from '../format.ts';
import { readMoment } from '../moment.ts';

/** Removes expired content. */
export const retentionRun = operatorCommand({
  name: 'retention run',
  summary: 'remove expired message content and files',
  arguments: Arguments({ now: MomentText('time', 'reference time, a date or a time with a zone; default: now') }),
  run: async (parts, { now }) => {
    const at = now === undefined ? parts.clock() : readMoment('--now', now);
    const store = await parts.store.upToDate();
    const removed = await runRetention({ store, storage: openStorage(parts.settings), terms: parts.settings }, at);
    return { now: at.toISOString(), ...removed };
  },
  audit: (result) => result,
  format: ({ now, messages, files }) =>
    `Removed the content of ${messages} message(s) and ${files} file(s) as of ${formatTime(now)}.`,
});
