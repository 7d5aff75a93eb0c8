import Type from 'typebox';
import { openStorage } from '../../attachments/attachments-setup.ts';
import { runRetention } from '../../retention/retention-commands.ts';
import { operatorCommand } from '../command.ts';
import { showTime } from '../layout.ts';
import { readMoment } from '../moment.ts';
import { Closed } from '../schemas.ts';

const running = operatorCommand({
  name: 'retention run',
  summary: 'remove expired message content and files',
  arguments: Closed({
    now: Type.Optional(
      Type.String({
        title: 'time',
        maxLength: 40,
        description: 'reference time, a date or a time with a zone; default: now',
      }),
    ),
  }),
  result: Closed({ now: Type.String(), messages: Type.Integer(), events: Type.Integer(), files: Type.Integer() }),
  run: async (parts, { now }) => {
    const at = now === undefined ? parts.clock() : readMoment('--now', now);
    const store = await parts.store.upToDate();
    const removed = await runRetention({ store, storage: openStorage(parts.settings), terms: parts.settings }, at);
    return { now: at.toISOString(), ...removed };
  },
  audit: (_, result) => result,
  show: ({ now, messages, files }) =>
    `Removed the content of ${messages} message(s) and ${files} file(s) as of ${showTime(now)}.`,
});

/** What an operator does about retention. */
export const retentionCommands = [running];
