import { sql } from 'kysely';
import { databaseNowSql } from '../store/clock/stored-clock.ts';
import { toSafeInteger } from '../store/decode.ts';
import { formatArray } from '../store/statements/parameters.ts';
import { prepareSqlText, runPreparedStatement } from '../store/statements/prepared.ts';
import type { Writer } from '../store/store.ts';
import { computeUsageRowMaxBytes, findTextQuotaFault, spreadUsage, usageRowsPerAgent } from './text-usage.ts';

/**
 * SQL that adds bytes to the text usage of agents, one agent per row of `source`. It updates each agent's usage row for
 * this database connection, and returns the agents whose row stays within `maxBytes`.
 */
export function addTextBytesSql(agentId: string, bytes: string, source: string, maxBytes: string): string {
  return `insert into text_usage (agent_id, slot, bytes)
   select ${agentId}, pg_backend_pid() % ${usageRowsPerAgent}, ${bytes} ${source}
   on conflict (agent_id, slot) do update set bytes = text_usage.bytes + excluded.bytes
     where text_usage.bytes + excluded.bytes <= ${maxBytes}
   returning agent_id`;
}

/** This SQL condition is true if the bytes fit into an agent's usage row for this connection. It locks nothing. */
export function textBytesFitSql(agentId: string, bytes: string, maxBytes: string): string {
  return `${bytes} + coalesce((
     select bytes from text_usage where agent_id = ${agentId} and slot = pg_backend_pid() % ${usageRowsPerAgent}
   ), 0) <= ${maxBytes}`;
}

const addBytes = prepareSqlText<never>(
  'add-text-bytes',
  addTextBytesSql('$1::uuid', '$2::bigint', '', String(Number.MAX_SAFE_INTEGER)),
);

interface SlotRow {
  readonly slot: number;
  readonly bytes: number | string;
}

const lockUsage = prepareSqlText<SlotRow>(
  'lock-text-usage',
  'select slot, bytes from text_usage where agent_id = $1 order by slot for update',
);

/** Inserts the missing rows. A concurrent message may insert the same rows. */
const completeUsage = prepareSqlText<SlotRow>(
  'complete-text-usage',
  `insert into text_usage (agent_id, slot, bytes)
   select $1::uuid, slot, 0 from generate_series(0, ${usageRowsPerAgent - 1}) as slot order by slot
   on conflict (agent_id, slot) do update set bytes = text_usage.bytes
   returning slot, bytes`,
);

const writeUsage = prepareSqlText<never>(
  'write-text-usage',
  `update text_usage set bytes = part.bytes
   from unnest($2::smallint[], $3::bigint[]) as part (slot, bytes)
   where agent_id = $1::uuid and text_usage.slot = part.slot`,
);

/** Locks the text usage of an agent, so that transactions that check a limit are serialized. */
export async function lockTextUsage(writer: Writer, agentId: string): Promise<void> {
  await runPreparedStatement(writer, lockUsage, [agentId]);
}

/** Creates the text usage of a new agent with these bytes, even above the quota. */
export async function createTextUsage(
  writer: Writer,
  agentId: string,
  bytes: number,
  quotaBytes: number,
): Promise<void> {
  const parts = bytes <= computeUsageRowMaxBytes(quotaBytes) ? [bytes] : spreadUsage(bytes);
  await writer
    .insertInto('text_usage')
    .values(parts.map((part, slot) => ({ agent_id: agentId, slot, bytes: part })))
    .execute();
}

/**
 * Adds the bytes that a transaction writes to an agent's text usage, or subtracts the bytes that it removes. Refuses to
 * exceed the quota with `storage_quota_exceeded`. The usage rows must be the last rows that a transaction locks.
 */
export async function chargeTextBytes(
  writer: Writer,
  agentId: string,
  bytes: number,
  quotaBytes: number,
): Promise<void> {
  if (bytes === 0) return;
  if (bytes < 0 || quotaBytes === 0) {
    await runPreparedStatement(writer, addBytes, [agentId, bytes]);
    return;
  }
  // Locks all rows in order, so that concurrent writers cannot deadlock.
  const locked = await runPreparedStatement(writer, lockUsage, [agentId]);
  const rows =
    locked.length === usageRowsPerAgent ? locked : await runPreparedStatement(writer, completeUsage, [agentId]);
  const parts = rows.toSorted((one, other) => one.slot - other.slot).map((row) => toSafeInteger(row.bytes));
  const usedBytes = parts.reduce((sum, part) => sum + part, 0);
  if (findTextQuotaFault(usedBytes, bytes, quotaBytes) !== undefined) {
    const shortage = findTextQuotaFault(usedBytes - (await findExpiredBytes(writer, agentId)), bytes, quotaBytes);
    if (shortage !== undefined) throw shortage;
  }
  const smallest = Math.min(...parts);
  const isRoomy = smallest + bytes <= computeUsageRowMaxBytes(quotaBytes);
  const changed = isRoomy ? [smallest + bytes] : spreadUsage(usedBytes + bytes);
  const places = isRoomy ? [parts.indexOf(smallest)] : [...changed.keys()];
  await runPreparedStatement(writer, writeUsage, [agentId, formatArray(places), formatArray(changed)]);
}

/** Expired messages still use bytes, because their content is deleted days after they expire. */
async function findExpiredBytes(writer: Writer, agentId: string): Promise<number> {
  const { rows } = await sql<{ bytes: number | string }>`
    select coalesce(sum(octet_length(ciphertext)), 0)::bigint as bytes from messages
    where sender_id = ${agentId} and ciphertext is not null and expires_at <= ${databaseNowSql}`.execute(writer);
  return toSafeInteger(rows[0]?.bytes ?? 0);
}
