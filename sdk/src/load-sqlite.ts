/** Loads `node:sqlite`; undefined if the runtime lacks it. */
export function loadSqlite(): typeof import('node:sqlite') | undefined {
  const { emitWarning } = process;
  // Suppresses the warning that Node.js 22 emits when the module is loaded.
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite');
  } catch {
    return undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

// Node.js reports SQLITE_BUSY as a code, Deno only as a message.
const busyCode = 5;
const busyText = 'database is locked';

/** Whether SQLite failed because another connection has the lock. */
export function isSqliteBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('errcode' in error && error.errcode === busyCode) || error.message === busyText;
}
