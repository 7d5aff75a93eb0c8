import type { Pooling } from './find-pooling.ts';

/** Refuses a pooler with which requests would fail. */
export function requirePooling(pooling: Pooling, hasDirectUrl: boolean): void {
  if (pooling.mode !== 'transaction') return;
  const found = 'DATABASE_URL points to a connection pooler in transaction mode';
  if (!pooling.keepsStatements) {
    throw new Error(
      `${found} that does not keep prepared statements. Use session mode (pool_mode = session), or PgBouncer 1.21 or later with max_prepared_statements = 200.`,
    );
  }
  if (!hasDirectUrl) {
    throw new Error(
      `${found}, where notifications and locks are lost. Set PLATFORM_DIRECT_DATABASE_URL to the address of the database itself, or use session mode (pool_mode = session).`,
    );
  }
  if (pooling.missingSettings !== '') {
    throw new Error(
      `${found}, whose connections lack settings. Run on the database: ${pooling.missingSettings} Then run RECONNECT on the pooler, and start again.`,
    );
  }
}
