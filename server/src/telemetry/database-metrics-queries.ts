import { sql } from 'kysely';
import { damagedFileCountSql } from '../attachments/stored-file-queries.ts';
import { oldestWaitingTimeSql } from '../events/waiting-queries.ts';
import { type LedgerCheckResult, ledgerCheckSql, parseLedgerCheck } from '../ledger/verified-point-queries.ts';
import { oldestDeletableTimeSql } from '../retention/retention-lag-queries.ts';
import { timestampToMs, toSafeInteger } from '../store/decode.ts';
import type { Store } from '../store/store.ts';

export interface DatabaseMetrics {
  /** Age of the oldest event that a connected agent has not acknowledged; 0 if there is none. */
  readonly oldestEventSeconds: number;
  /** How long the oldest expired content has been due for removal; 0 if there is none. */
  readonly retentionLagSeconds: number;
  /** The last ledger check; undefined before the first one. */
  readonly ledgerCheck: LedgerCheckResult | undefined;
  /** The number of stored files that are damaged or missing. */
  readonly damagedFiles: number;
}

export interface DatabaseMetricsQuery {
  readonly connectedAgents: readonly string[];
  readonly detachedFileDays: number;
  readonly now: Date;
}

/** The maximum number of connected agents whose events are read. */
const agentsMax = 10_000;

/** Reads all figures in one statement, which needs a few index lookups. */
export async function readDatabaseMetrics(store: Store, of: DatabaseMetricsQuery): Promise<DatabaseMetrics> {
  const { connectedAgents, detachedFileDays, now } = of;
  const { rows } = await store.read((reader) =>
    sql<{ event: string | Date | null; due: string | Date | null; ledger: string | null; damaged: number | string }>`
      select ${oldestWaitingTimeSql(connectedAgents.slice(0, agentsMax), now)} as event,
        ${oldestDeletableTimeSql(now, detachedFileDays)} as due, ${ledgerCheckSql} as ledger, ${damagedFileCountSql} as damaged`.execute(
      reader,
    ),
  );
  const [row] = rows;
  const age = (at: string | Date | null | undefined) =>
    at === null || at === undefined ? 0 : Math.max(0, now.getTime() - timestampToMs(at)) / 1_000;
  return {
    oldestEventSeconds: age(row?.event),
    retentionLagSeconds: age(row?.due),
    damagedFiles: toSafeInteger(row?.damaged ?? 0),
    ledgerCheck: parseLedgerCheck(row?.ledger ?? null),
  };
}
