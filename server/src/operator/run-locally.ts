import { resolve } from 'node:path';
import { openFileServices } from '../attachments/attachments-setup.ts';
import { requireOwnStorage } from '../attachments/storage-claim-commands.ts';
import { makeAnnouncer } from '../events/event-commands.ts';
import { makeLogger } from '../platform/logger.ts';
import type { Settings } from '../platform/settings/settings.ts';
import { DatabaseClock } from '../store/clock/database-clock.ts';
import { claimClock, requireClock } from '../store/clock/stored-clock.ts';
import { requireKnownSchema } from '../store/migrate.ts';
import type { MigrationReporter, SchemaState, Store } from '../store/store.ts';
import { describePendingMigrations, hasDatabase } from '../store/store-setup.ts';
import type { CommandOutput, OperatorCommand } from './command.ts';
import { describeMigration } from './commands/migrate.ts';
import { OperatorFailure } from './failure.ts';
import { toVisible } from './format.ts';
import { openJournaledStore } from './open-journaled-store.ts';
import type { OperatorDependencies, OperatorProcess } from './parts.ts';
import { findSystemUser } from './system-user.ts';

/** Runs a command without a server: opens the database on demand, and closes it afterwards. */
export async function runCommandLocally(
  command: OperatorCommand,
  args: object,
  settings: Settings,
  own: OperatorProcess,
): Promise<CommandOutput> {
  const { clock: machineClock, err, errorStream } = own;
  const log = makeLogger('warn', { stream: errorStream, isTerminal: false });
  const note = (text: string) => err(`operator: ${toVisible(text)}\n`);
  let opening: ReturnType<typeof openJournaledStore> | undefined;
  const openBoth = () => {
    opening ??= openJournaledStore(settings, log);
    return opening;
  };
  const open = async () => (await openBoth()).store;
  const journal = async () => (await openBoth()).journal;
  let time = machineClock;
  let leaseTime = machineClock;
  let clockMoved = async () => {};
  const followClock = async (opened: Store) => {
    const clock = new DatabaseClock(opened, machineClock);
    await clock.compare();
    clockMoved = async () => void (await clock.readOffset());
    if (settings.clock === 'test') await clockMoved();
    time = clock.now;
    leaseTime = clock.withoutOffset;
    return opened;
  };
  const store = {
    upToDate: async () => {
      const isNew = !hasDatabase(settings);
      if (isNew && !command.preparesInstallation) throw noDatabase(settings.dataDir);
      const opened = await open();
      await requireClock(opened, settings.clock);
      if (settings.migrate === 'manual') requireMigrated(await opened.schema());
      const applied = await opened.migrate((progress) => {
        // Finished migrations are reported together below.
        if (progress.state !== 'finished') note(describeMigration(progress));
      });
      if (isNew) note(`There was no database in ${resolve(settings.dataDir)}; a new database was created.`);
      else if (applied.length > 0) note(`Applied migrations: ${applied.join(', ')}.`);
      await claimClock(opened, settings.clock);
      return await followClock(opened);
    },
    asItIs: async () => (hasDatabase(settings) ? await followClock(await open()) : undefined),
    migrate: async (report?: MigrationReporter) => {
      const opened = await open();
      await requireClock(opened, settings.clock);
      return await opened.migrate(report);
    },
  };
  try {
    const clock = () => time();
    const withFiles: OperatorDependencies['withFiles'] = async (opened, work) => {
      const files = openFileServices({ settings, store: opened, clock, leaseClock: () => leaseTime(), log });
      try {
        await requireOwnStorage(opened, files.parts.storage);
        return await work(files.parts);
      } finally {
        await files.close();
      }
    };
    const by = findSystemUser(own.env);
    const parts = { settings, clock, machineClock, log, store, journal, note, withFiles, by, process: own };
    const { announce } = makeAnnouncer(clock, () => undefined);
    const apart = { announce, accessChanged: () => undefined, clockMoved: () => clockMoved(), server: null };
    return await command.run({ ...parts, ...apart }, args);
  } finally {
    // If the database could not be opened, the command has already failed.
    await (await opening?.catch(() => undefined))?.store.close();
  }
}

// A command does not create a database, because in a wrong folder that would start a new installation.
function noDatabase(dataDir: string): OperatorFailure {
  const message = `There is no database in ${resolve(dataDir)}. Set PLATFORM_DATA_DIR to the folder of the server, or start the server first.`;
  return new OperatorFailure('no_database', message);
}

function requireMigrated(schema: SchemaState): void {
  requireKnownSchema(schema);
  if (schema.pending.length > 0) throw new OperatorFailure('schema_behind', describePendingMigrations(schema.pending));
}
