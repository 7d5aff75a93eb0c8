import { sql } from 'kysely';
import type { TestServer } from '../test-server.ts';

/** Returns the total size in bytes, including indexes and values that are stored separately. */
export async function measureTableSize(
  { store }: Pick<TestServer, 'store'>,
  ...names: readonly string[]
): Promise<number> {
  const { rows } = await store.read((reader) =>
    sql<{ bytes: number | string }>`
      select sum(pg_total_relation_size(name::regclass))::bigint as bytes from unnest(${`{${names.join()}}`}::text[]) as name
      `.execute(reader),
  );
  return Number(rows[0]?.bytes);
}
