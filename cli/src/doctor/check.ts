/** The result of one check. */
export interface Check {
  /** Stable, for programs. */
  readonly name: string;
  readonly outcome: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** The next step; absent where the check passed. */
  readonly hint?: string;
}

/** A check that passed. */
export function ok(name: string, message: string): Check {
  return { name, outcome: 'ok', message };
}

/** A problem that does not stop the agent yet. */
export function warn(name: string, message: string, hint: string): Check {
  return { name, outcome: 'warn', message, hint };
}

/** A problem that stops the agent. */
export function fail(name: string, message: string, hint: string): Check {
  return { name, outcome: 'fail', message, hint };
}
