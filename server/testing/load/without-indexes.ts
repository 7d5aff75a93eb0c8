import type { Client } from 'pg';

/**
 * Drops the indexes of the tables before filling them and rebuilds the indexes afterwards, because updating them row by
 * row would take several times as long. Keeps primary and unique keys that a foreign key references.
 */
export async function fillWithoutIndexes(
  client: Client,
  tables: readonly string[],
  fill: () => Promise<void>,
): Promise<void> {
  const dropped: { readonly drop: string; readonly make: string }[] = [];
  for (const table of tables) {
    const { rows } = await client.query(
      `select format('alter table %I drop constraint %I', $1::text, conname) as drop,
         format('alter table %I add constraint %I %s', $1::text, conname, pg_get_constraintdef(oid)) as make
       from pg_constraint made where conrelid = $1::regclass and contype in ('p', 'u')
         and not exists (select from pg_constraint other where other.contype = 'f' and other.conindid = made.conindid)
       union all
       select format('drop index %I', indexname), indexdef from pg_indexes
       where tablename = $1 and indexname not in (select conname from pg_constraint where conrelid = $1::regclass)`,
      [table],
    );
    dropped.push(...rows);
  }
  for (const { drop } of dropped) await client.query(drop);
  await fill();
  for (const { make } of dropped) await client.query(make);
}
