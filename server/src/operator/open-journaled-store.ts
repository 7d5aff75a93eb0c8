import { RevocationJournal } from '../backup/journal-commands.ts';
import { backupFolder } from '../backup/repository/folders.ts';
import { ensureKeySecret } from '../backup/repository/key-commands.ts';
import type { Logger } from '../platform/logger.ts';
import type { Settings } from '../platform/settings/settings.ts';
import { withRevocationJournal } from '../store/statements/after-commit.ts';
import type { StatementWatch } from '../store/statements/watched-statements.ts';
import type { Store } from '../store/store.ts';
import { openConfiguredStore } from '../store/store-setup.ts';

/** Opens the database of these settings; the store also writes all revocations to the journal. */
export async function openJournaledStore(
  settings: Settings,
  log: Logger,
  watch?: StatementWatch,
): Promise<{ store: Store; journal: RevocationJournal }> {
  const failed = (error: Error) => log.warn({ cause: error.message }, 'a database connection failed');
  const opened = await openConfiguredStore(settings, failed, watch);
  const journal = new RevocationJournal({
    folder: backupFolder(settings),
    secret: () => ensureKeySecret(opened, settings.dataDir),
    log,
  });
  const store = withRevocationJournal(opened, journal.append);
  const close = async () => {
    await journal.close();
    await opened.close();
  };
  return { store: { ...store, close }, journal };
}
