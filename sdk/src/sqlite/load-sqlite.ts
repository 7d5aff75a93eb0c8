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

const sqliteBusy = 5;

/** Checks whether SQLite refused because another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
}
