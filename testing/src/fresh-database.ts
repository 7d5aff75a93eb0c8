import { createDatabase } from './template-database.ts';

const made: Awaited<ReturnType<typeof createDatabase>>[] = [];

/**
 * Creates an empty database and returns its address. The database is dropped after the test file.
 *
 * @example
 * const url = await freshDatabase(inject('postgresUrl'));
 */
export async function freshDatabase(serverUrl: string): Promise<string> {
  const database = await createDatabase(serverUrl, 'template0');
  made.push(database);
  return database.url;
}

/** Also drops databases with open connections. */
export async function dropFreshDatabases(): Promise<void> {
  for (const { drop } of made.splice(0)) await drop();
}
