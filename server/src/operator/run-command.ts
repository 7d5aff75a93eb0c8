import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Settings } from '../platform/settings/settings.ts';
import { FolderLockError, lockFolder } from '../store/embedded/folder-lock.ts';
import type { CommandOutput, OperatorCommand } from './command.ts';
import { OperatorFailure } from './failure.ts';
import { toVisible } from './format.ts';
import type { OperatorProcess } from './parts.ts';
import { runCommandLocally } from './run-locally.ts';
import { sendCommand } from './socket/send-command.ts';
import { findSystemUser } from './system-user.ts';

const waitAtMostMs = 10_000;
const retryEveryMs = 100;

/**
 * Runs a command in the server that uses the data folder, otherwise in this process. A server that is starting or
 * stopping locks the embedded database but does not listen; the command then waits until the server listens or the
 * database is free.
 */
export async function runCommand(
  command: OperatorCommand,
  args: object,
  settings: Settings,
  own: OperatorProcess,
): Promise<CommandOutput> {
  if (command.ofOwnVersion && settings.databaseUrl !== undefined)
    return await runCommandLocally(command, args, settings, own);
  const givesUpAt = performance.now() + waitAtMostMs;
  for (;;) {
    const progress = (text: string) => own.err(`operator: ${toVisible(text)}\n`);
    const reply = await sendCommand(settings.dataDir, command, args, progress, findSystemUser(own.env));
    if (reply.isThere) return reply;
    refuseForeignFolder(settings, own.uid);
    if (await isFree(settings)) return await runCommandLocally(command, args, settings, own);
    if (performance.now() >= givesUpAt) {
      throw new OperatorFailure(
        'in_use',
        `The embedded database in ${resolve(settings.dataDir)} has been in use for ${waitAtMostMs / 1_000} s by a process that does not respond to operator commands: another operator command, or a starting server. Try again, or stop that process.`,
      );
    }
    await wait(retryEveryMs);
  }
}

// If this process, especially as root, wrote files into the folder of another user, that user's server could not open
// them.
function refuseForeignFolder({ dataDir, databaseUrl }: Settings, uid: number | undefined): void {
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid;
  if (databaseUrl !== undefined || owner === undefined || uid === undefined || owner === uid) return;
  throw new OperatorFailure(
    'not_permitted',
    `${resolve(dataDir)} belongs to another user (owner ${owner}, current user ${uid}), and no server responds there. Run the operator command as the owner of the folder.`,
  );
}

async function isFree({ databaseUrl, dataDir }: Settings): Promise<boolean> {
  if (databaseUrl !== undefined || !existsSync(dataDir)) return true;
  try {
    // The lock is released immediately, because the store locks the folder itself when it opens.
    (await lockFolder(dataDir, 0)).release();
    return true;
  } catch (error) {
    if (error instanceof FolderLockError) return false;
    throw error;
  }
}
