export function errorMessageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Describes an error and its causes on one line. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isList = error instanceof AggregateError && error.message === '';
  const message = isList ? error.errors.map(String).join('; ') : error.message;
  return error.cause === undefined ? message : `${message} (${describeError(error.cause)})`;
}

/** Returns a low level if the underlying cause of a failure is logged separately. */
export function logLevelOf(error: unknown): 'debug' | 'warn' {
  return error instanceof Error && Reflect.get(error, 'hasOwnLogLine') === true ? 'debug' : 'warn';
}

export function errorCodeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Waits for an operation on a file or folder; returns undefined if the file or folder does not exist. */
export async function undefinedIfMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
