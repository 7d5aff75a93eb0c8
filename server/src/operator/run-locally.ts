import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeLogger } from '../platform/logger.ts';
import type { Settings } from '../platform/settings/settings.ts';
import type { Store } from '../store/store.ts';
import { openConfiguredStore } from '../store/store-setup.ts';
import { findPendingMigrations } from './checks/database-checks.ts';
import type { CommandOutput, OperatorCommand } from './command.ts';
import { OperatorFailure } from './failure.ts';
import { toVisible } from './format.ts';
import type { OperatorProcess } from './parts.ts';

/** Runs a command without a server: opens the database on demand, and closes it again. */
export async function runLocally(
  command: OperatorCommand,
  args: object,
  settings: Settings,
  { clock, err, errorStream }: OperatorProcess,
): Promise<CommandOutput> {
  const log = makeLogger('warn', { stream: errorStream, isTerminal: false });
  const note = (text: string) => err(`operator: ${toVisible(text)}\n`);
  let opening: Promise<Store> | undefined;
  const open = () => {
    opening ??= openConfiguredStore(settings, (error) =>
      log.warn({ cause: error.message }, 'a database connection failed'),
    );
    return opening;
  };
  const hasDatabase = () => settings.databaseUrl !== undefined || existsSync(join(settings.dataDir, 'database'));
  const store = {
    upToDate: async () => {
      const isNew = !hasDatabase();
      const opened = await open();
      const pending = await findPendingMigrations(opened);
      if (pending.length > 0 && settings.migrate === 'manual') {
        throw new OperatorFailure(
          'schema_behind',
          `The database lacks ${pending.length} migration(s): ${pending.join(', ')}. Start the server once with PLATFORM_MIGRATE=on-start.`,
        );
      }
      const applied = pending.length === 0 ? pending : await opened.migrate();
      if (isNew) note(`There was no database in ${resolve(settings.dataDir)}; a new database was created.`);
      else if (applied.length > 0) note(`Applied migrations: ${applied.join(', ')}.`);
      return opened;
    },
    asItIs: async () => (hasDatabase() ? await open() : undefined),
  };
  try {
    return await command.run({ settings, clock, log, store, accessChanged: () => undefined, server: null }, args);
  } finally {
    // A database that could not be opened has failed the command already.
    await (await opening?.catch(() => undefined))?.close();
  }
}
