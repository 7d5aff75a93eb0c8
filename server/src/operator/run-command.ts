import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Settings } from '../platform/settings/settings.ts';
import { FolderInUse, lockFolder } from '../store/folder-lock.ts';
import type { OperatorCommand } from './command.ts';
import { OperatorFailure } from './failure.ts';
import { type HereParts, runHere } from './run-here.ts';
import { askServer } from './socket/ask-server.ts';

const waitAtMostMs = 10_000;
const retryEveryMs = 100;

/**
 * Runs a command where it can be run: in the running server of the data folder,
 * else here. A server that is just starting or stopping holds the embedded
 * database without listening; then it is asked again until it does or lets go.
 */
export async function runCommand(command: OperatorCommand, args: object, here: HereParts): Promise<unknown> {
  const givesUpAt = performance.now() + waitAtMostMs;
  for (;;) {
    const reply = await askServer(here.settings.dataDir, command, args);
    if (reply.isThere) return reply.result;
    refuseForeignFolder(here);
    if (await isFree(here.settings)) return await runHere(command, args, here);
    if (performance.now() >= givesUpAt) throw inUse(here.settings);
    await wait(retryEveryMs);
  }
}

// What this process would write into the folder of another user, root's above all,
// that user's server could not open any more.
function refuseForeignFolder({ settings, uid }: HereParts): void {
  const owner = statSync(settings.dataDir, { throwIfNoEntry: false })?.uid;
  if (settings.databaseUrl !== undefined || owner === undefined || uid === undefined || owner === uid) return;
  throw new OperatorFailure(
    'not_permitted',
    `${resolve(settings.dataDir)} belongs to another user (owner ${owner}, current user ${uid}), and no server answers there. Run the operator as the owner of the folder.`,
  );
}

async function isFree({ databaseUrl, dataDir }: Settings): Promise<boolean> {
  if (databaseUrl !== undefined || !existsSync(dataDir)) return true;
  try {
    // Taken and let go of: the store takes it for itself when it is opened.
    (await lockFolder(dataDir, 0)).release();
    return true;
  } catch (error) {
    if (error instanceof FolderInUse) return false;
    throw error;
  }
}

function inUse({ dataDir }: Settings): OperatorFailure {
  return new OperatorFailure(
    'in_use',
    `The embedded database in ${resolve(dataDir)} has been in use for ${waitAtMostMs / 1_000} s by a process that does not answer operator commands: another operator command, or a starting server. Try again, or stop that process.`,
  );
}
