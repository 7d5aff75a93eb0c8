import type { Logger } from '../platform/logger.ts';
import type { ReportMigration } from '../store/store.ts';

const messages = {
  waiting: 'another process migrates the database; waiting for it',
  running: 'a migration is running',
  finished: 'a migration has finished',
} as const;

/** Writes a line for each step of the migrations that takes long; the short ones follow in a single line. */
export function logMigration(log: Logger): ReportMigration {
  return ({ state, ...step }) => log[state === 'finished' ? 'debug' : 'info'](step, messages[state]);
}
