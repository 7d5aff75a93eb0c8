/** Loads `node:sqlite`; undefined where the runtime has none. */
export function loadSqlite(): typeof import('node:sqlite') | undefined {
  const { emitWarning } = process;
  // Node.js 22 prints a warning on stderr when the module is loaded.
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite');
  } catch {
    return undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}

// SQLITE_BUSY; Deno gives its text alone.
const busyCode = 5;
const busyText = 'database is locked';

/** Checks whether SQLite refused because another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('errcode' in error && error.errcode === busyCode) || error.message === busyText;
}
