/** Loads `node:sqlite`; undefined if the runtime lacks it. */
export function loadSqlite(): typeof import('node:sqlite') | undefined {
  const { emitWarning } = process;
  // Node.js 22 emits a warning when the module is loaded.
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite');
  } catch {
    return undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

// The error is SQLITE_BUSY; Deno only provides its message.
const busyCode = 5;
const busyText = 'database is locked';

/** Whether SQLite failed because another connection has the lock. */
export function isSqliteBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('errcode' in error && error.errcode === busyCode) || error.message === busyText;
}
