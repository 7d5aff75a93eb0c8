import type { MigrationProgress } from '../../store/store.ts';
import { defineOperatorCommand } from '../command.ts';

export const migrateCommand = defineOperatorCommand({
  name: 'migrate',
  summary: 'migrate the database schema to this version and show the progress',
  ofOwnVersion: true,
  run: async (parts) => {
    const applied = await parts.store.migrate((progress) => parts.note(describeMigration(progress)));
    const store = applied.length === 0 ? undefined : await parts.store.asItIs();
    // Record afterwards, because one of the applied migrations may have created the audit table.
    await store?.transact((writer) => parts.record(writer, [{ details: { applied } }]));
    return { applied };
  },
  audit: (result) => result,
  format: ({ applied }) =>
    applied.length === 0
      ? 'The schema is up to date.'
      : `Applied ${applied.length} migration(s): ${applied.join(', ')}.`,
});

export function describeMigration({ state, migration, position, seconds }: MigrationProgress): string {
  if (state === 'waiting') return `Another process is migrating this database; waiting for it, ${seconds} s so far.`;
  const name = `Migration ${migration} (${position})`;
  return state === 'running' ? `${name} is running, ${seconds} s so far.` : `${name} took ${seconds} s.`;
}
