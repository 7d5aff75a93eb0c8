/** The suite cannot start, or cannot do what the user requests; the message states the reason. */
export class CannotRun extends Error {
  override readonly name: string = 'CannotRun';
}

export class OptionsError extends CannotRun {
  override readonly name = 'OptionsError';
}

/** Runs `work`; rethrows its errors as `Kind`, with `what` before the message. */
export function rethrowAsCannotRun<T>(what: string, work: () => T, Kind: typeof CannotRun = CannotRun): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof CannotRun
      ? error
      : new Kind(`${what}${error instanceof Error ? error.message : String(error)}`);
  }
}
