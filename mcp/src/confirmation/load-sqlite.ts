/** Loads `node:sqlite` without the warning of Node.js 22; undefined where the runtime has none. */
export function loadSqlite(): typeof import('node:sqlite') | undefined {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite');
  } catch {
    return undefined;
  } finally {
    process.emitWarning = emitWarning;
  }
}
