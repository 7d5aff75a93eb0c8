import { prepareSqlText, runPreparedStatement } from '../store/statements/prepared.ts';
import type { Writer } from '../store/store.ts';
import type { FileUsage } from './quota.ts';

// Commands lock usage rows before uploads, and an agent's usage row before the total row, so that commands on the same
// rows wait for each other instead of deadlocking.

/** Locks the usage rows of these agents in id order, and then the total row. */
export async function lockUsageRows(writer: Writer, ownerIds: readonly string[]): Promise<void> {
  const keys = [...new Set(ownerIds)].sort().concat('all');
  const locked = await runPreparedStatement(writer, lockUsage, [keys]);
  if (locked.length !== keys.length) throw new Error('The database did not return the rows to lock.');
}

const lockUsage = prepareSqlText<{ readonly key: string }>(
  'lock-file-usage',
  `insert into file_usage (key, files, bytes, records)
   select key, 0, 0, 0 from unnest($1::text[]) with ordinality as wanted (key, place) order by place
   on conflict (key) do update set files = file_usage.files
   returning key`,
);

export async function addFileUsage(
  writer: Writer,
  ownerId: string,
  { files, bytes, records }: FileUsage,
): Promise<void> {
  await runPreparedStatement(writer, addToUsage, [ownerId, files, bytes, records]);
}

const addToUsage = prepareSqlText<never>(
  'add-file-usage',
  `update file_usage set files = files + $2::int, bytes = bytes + $3::bigint, records = records + $4::int
   where key in ($1::text, 'all')`,
);
