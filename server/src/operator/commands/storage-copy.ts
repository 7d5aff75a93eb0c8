import { resolve } from 'node:path';
import Type from 'typebox';
import { openIncoming, openStorage } from '../../attachments/attachments-setup.ts';
import { moveStorage, ServerRuns } from '../../attachments/storage-copy/move-commands.ts';
import { messageOf } from '../../platform/error-facts.ts';
import { allSettings } from '../../platform/settings/all-settings.ts';
import { findS3Faults } from '../../platform/settings/s3-faults.ts';
import type { Settings } from '../../platform/settings/settings.ts';
import { Arguments, Flag, operatorCommand } from '../command.ts';
import { OperatorFailure } from '../failure.ts';
import { formatCard } from '../format.ts';
import { backupWithinMs, reporter } from './backup/backup-arguments.ts';
import { formatBytes } from './backup/sizes.ts';

/** Copies the files of the database to another storage, which takes the place of the present one in the last step. */
export const storageCopy = operatorCommand({
  name: 'storage copy',
  summary: 'copy all files to another folder or bucket; --finish makes it the storage of the database',
  arguments: Arguments({
    to: Type.String({ title: 'url', maxLength: 4_096, description: 'file:///… or s3://bucket/prefix' }),
    finish: Flag('with all servers stopped: copy the rest and switch to the other storage'),
    withoutLost: Flag('finish although the present storage lacks files'),
  }),
  answerWithinMs: backupWithinMs,
  // Its environment has the keys of the bucket; a server gets them when it is started with it.
  ofOwnVersion: true,
  run: async (parts, { to, finish: isLast = false, withoutLost: isWithoutLost = false }) => {
    const { settings, note, record, server } = parts;
    if (isLast && server !== null) throw new ServerRuns('A server runs on this data folder. Stop it, and finish then.');
    const target = readTarget(settings, to);
    const store = await parts.store.upToDate();
    const [source, destination] = [openStorage(settings), openStorage(target)];
    if (source.place === destination.place)
      throw new OperatorFailure('invalid_input', `The files are in ${source.place} already.`);
    const move = { store, record, report: reporter(note), dataDir: resolve(settings.dataDir) };
    const finish = isLast ? { isWithoutLost } : undefined;
    const places = { from: source, to: destination, incoming: openIncoming(target) };
    const outcome = await moveStorage({ ...move, ...places }, finish);
    const { copied, moved } = outcome;
    const act = { subject: destination.place, details: { copied } };
    if (copied > 0 && !moved) await store.transact((writer) => record(writer, [act]));
    return { from: source.place, to: destination.place, url: to, finish: isLast, ...outcome };
  },
  succeeded: ({ finish, moved, lost }) => (finish ? moved : lost.length === 0),
  audit: ({ from, to, files, copied, moved, lost }) => ({ from, to, files, copied, moved, lost: lost.length }),
  format: ({ from, to, url, finish, files, bytes, copied, moved, lost }) =>
    [
      formatCard([
        ['from', from],
        ['to', to],
        ['files', `${files} (${formatBytes(bytes)})`],
        ['copied now', String(copied)],
      ]),
      '',
      ...(lost.length === 0 ? [] : [`${from} lacks ${lost.length} file(s): ${lost.slice(0, 10).join(', ')}.`]),
      moved
        ? `Moved: start the servers with PLATFORM_STORAGE_URL=${url}. ${from} is no longer in use; no server starts with it.`
        : finish
          ? 'Nothing was switched. Restore the missing files, or give them up with --without-lost.'
          : `Files that arrive from now on are not in ${to}. Stop all servers, and repeat the command with --finish.`,
    ].join('\n'),
});

function readTarget(settings: Settings, to: string): Settings {
  try {
    const target = { ...settings, storageUrl: allSettings.storageUrl.read(to) };
    const [fault] = findS3Faults(target);
    if (fault === undefined) return target;
    throw new Error(fault);
  } catch (error) {
    throw new OperatorFailure('invalid_input', `The url ${messageOf(error)}.`);
  }
}
