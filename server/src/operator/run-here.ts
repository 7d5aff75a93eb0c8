import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Settings } from '../platform/settings/settings.ts';
import type { Store } from '../store/store.ts';
import { openConfiguredStore } from '../store/store-setup.ts';
import { findPendingMigrations } from './checks/database-checks.ts';
import type { OperatorCommand } from './command.ts';
import { OperatorFailure } from './failure.ts';

/** What a command needs that runs in the operator's own process. */
export interface HereParts {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly log: Logger;
  /** The user of this process; undefined where the system has no such numbers. */
  readonly uid: number | undefined;
  /** Tells the operator something beside the result. */
  readonly note: (text: string) => void;
}

/** Runs a command without a server: opens the database when the command asks for it, and closes it again. */
export async function runHere(command: OperatorCommand, args: object, here: HereParts): Promise<unknown> {
  let opening: Promise<Store> | undefined;
  const open = () => {
    opening ??= openConfiguredStore(here.settings, (error) =>
      here.log.warn({ cause: error.message }, 'a database connection failed'),
    );
    return opening;
  };
  const store = {
    upToDate: async () => {
      const isNew = !hasDatabase(here.settings);
      const opened = await open();
      const applied = here.settings.migrate === 'on-start' ? await opened.migrate() : await refusePending(opened);
      if (isNew) here.note(`There was no database in ${resolve(here.settings.dataDir)}; a new database was created.`);
      else if (applied.length > 0) here.note(`Applied migrations:  ${applied.join(', ')}.`);
      return opened;
    },
    asItIs: async () => (hasDatabase(here.settings) ? await open() : undefined),
  };
  const { settings, clock, log } = here;
  try {
    return await command.run({ settings, clock, log, store, accessChanged: () => undefined, server: null }, args);
  } finally {
    await closeOpened(opening);
  }
}

async function refusePending(store: Store): Promise<readonly string[]> {
  const pending = await findPendingMigrations(store);
  if (pending.length === 0) return [];
  throw new OperatorFailure(
    'schema_behind',
    `The database lacks ${pending.length} migration(s): ${pending.join(', ')}. Start the server once with PLATFORM_MIGRATE=on-start.`,
  );
}

// A database that could not be opened has told so already.
async function closeOpened(opening: Promise<Store> | undefined): Promise<void> {
  const store = await opening?.catch(() => undefined);
  await store?.close();
}

/** Whether there is a database to open; a PostgreSQL server is asked later. */
export function hasDatabase(settings: Settings): boolean {
  return settings.databaseUrl !== undefined || existsSync(join(settings.dataDir, 'database'));
}
