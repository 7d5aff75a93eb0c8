import type { ExitCode } from './exit-codes.ts';

/** An error in the JSON envelope. */
export interface FailureReport {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  readonly request_id?: string;
  readonly retry_after_seconds?: number;
  readonly details?: readonly unknown[];
  /** Whether the same command, unchanged, may succeed later without taking effect twice. */
  readonly retryable: boolean;
  /** The next step for the user, usually a command. */
  readonly hint: string;
}

export interface Failure {
  readonly exitCode: ExitCode;
  readonly report: FailureReport;
}

/** The abort reason of `Io.signal`, after Ctrl-C or another termination signal. */
export class Interruption extends Error {
  override readonly name = 'Interruption';
  readonly code = 'interrupted';

  constructor() {
    super('Interrupted.');
  }
}

/** The command line is wrong; nothing was sent. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'usage';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** A failure of a command with one of the CLI's own error codes. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly hint: string | undefined;

  constructor(exitCode: ExitCode, code: string, message: string, hint?: string) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
    this.hint = hint;
  }
}

/** Wraps another error to add a hint that is specific to the failed command. */
export class HintedError extends Error {
  override readonly name = 'HintedError';
  readonly hint: string;

  constructor(cause: unknown, hint: string) {
    super(messageOf(cause), { cause });
    this.hint = hint;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** If the request fails, adds the hint that `hintFor` returns for the error. */
export async function withHint<T>(
  request: PromiseLike<T>,
  hintFor: (error: unknown) => string | undefined,
): Promise<T> {
  try {
    return await request;
  } catch (error) {
    const hint = error instanceof HintedError ? undefined : hintFor(error);
    throw hint === undefined ? error : new HintedError(error, hint);
  }
}

/** Adds a hint if a request is interrupted, because it is then unknown whether the request took effect. */
export function hintOnInterruption<T>(request: PromiseLike<T>, hint: string): Promise<T> {
  return withHint(request, (error) => (error instanceof Interruption ? hint : undefined));
}

export function makeFailure(exitCode: ExitCode, code: string, message: string, hint: string): Failure {
  return { exitCode, report: { code, message, retryable: false, hint } };
}
