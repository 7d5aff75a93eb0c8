/** What one check found. */
export interface Check {
  /** Stable, for programs. */
  readonly name: string;
  readonly outcome: 'ok' | 'warn' | 'fail';
  /** What was seen. */
  readonly message: string;
  /** What to do about it; absent when all is well. */
  readonly cure?: string;
}

/** All is well. */
export function ok(name: string, message: string): Check {
  return { name, outcome: 'ok', message };
}

/** Not wrong yet, or not wrong for everybody. */
export function warn(name: string, message: string, cure: string): Check {
  return { name, outcome: 'warn', message, cure };
}

/** Something does not work. */
export function fail(name: string, message: string, cure: string): Check {
  return { name, outcome: 'fail', message, cure };
}
