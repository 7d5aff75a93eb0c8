import { Client } from 'pg';
import type { ServerProcess } from '../load/server-process.ts';

export async function withDatabase<Made>(
  { databaseUrl }: ServerProcess,
  work: (database: Client) => Promise<Made>,
): Promise<Made> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    return await work(database);
  } finally {
    await database.end();
  }
}
