import type { ExitCode } from './exit-codes.ts';

/** An error in the JSON envelope. */
export interface FailureReport {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  readonly request_id?: string;
  readonly retry_after_seconds?: number;
  readonly details?: readonly unknown[];
  /** Whether the same unchanged command may succeed later without a second effect. */
  readonly retryable: boolean;
  /** The next step for the user, usually a command. */
  readonly hint: string;
}

/** An error report with the exit code of its class. */
export interface Failure {
  readonly exitCode: ExitCode;
  readonly report: FailureReport;
}

/** The reason of an aborted `Io.signal`: Ctrl-C, or a request to end. */
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

/** A failure of a command with its own code. */
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

/** Another error, with a hint that only the failing command can give. */
export class HintedError extends Error {
  override readonly name = 'HintedError';
  readonly hint: string;

  constructor(cause: unknown, hint: string) {
    super(messageOf(cause), { cause });
    this.hint = hint;
  }
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Adds a hint to the errors of a request that need one. */
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

/** Adds a hint if a request is interrupted, because it is then unknown whether it took effect. */
export function hintOnInterruption<T>(request: PromiseLike<T>, hint: string): Promise<T> {
  return withHint(request, (error) => (error instanceof Interruption ? hint : undefined));
}

/** Makes a failure with one of the CLI's own codes. */
export function makeFailure(exitCode: ExitCode, code: string, message: string, hint: string): Failure {
  return { exitCode, report: { code, message, retryable: false, hint } };
}
