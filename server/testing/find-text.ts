import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Store } from '../src/store/store.ts';

/** Finds the tables that contain a text in any column, including binary columns. */
export async function findTablesWith(store: Store, text: string): Promise<readonly string[]> {
  const { rows: tables } = await store.read((reader) =>
    sql<{ name: string }>`
      select table_name as name from information_schema.tables where table_schema = 'public' order by 1`.execute(
      reader,
    ),
  );
  // PostgreSQL converts binary columns to hexadecimal when it casts a row to text.
  const patterns = [`%${text}%`, `%${Buffer.from(text).toString('hex')}%`];
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await store.read((reader) =>
      sql`
        select 1 from ${sql.table(name)} as row
        where row::text ilike ${patterns[0]} or row::text like ${patterns[1]} limit 1`.execute(reader),
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

/** Finds files with a text in their name or content, except those of an embedded database. */
export function findFilesWith(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.startsWith(join(folder, 'database')))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path.includes(text) || readFileSync(path).includes(text));
}
