/** The suite cannot begin, or do what its user asks; the message says why. */
export class CannotRun extends Error {
  override readonly name: string = 'CannotRun';
}

/** An invalid command line or configuration. */
export class OptionsError extends CannotRun {
  override readonly name = 'OptionsError';
}

/** Works, or says as an error of this kind what has failed and why. */
export function orCannotRun<T>(what: string, work: () => T, Kind: typeof CannotRun = CannotRun): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof CannotRun
      ? error
      : new Kind(`${what}${error instanceof Error ? error.message : String(error)}`);
  }
}
