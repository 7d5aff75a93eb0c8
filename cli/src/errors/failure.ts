import * as sdk from '@agent-platform/sdk';
import { type ExitCode, exitCodeOfStatus, exitCodes } from './exit-codes.ts';
import { hintOf } from './hints.ts';

/** An error as it stands in the JSON envelope. */
export interface FailureReport {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  readonly request_id?: string;
  readonly retry_after_seconds?: number;
  readonly details?: readonly unknown[];
  /** The next step for the user. */
  readonly hint?: string;
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

/** Another error with a hint that only the failing command can give. */
export class HintedError extends Error {
  override readonly name = 'HintedError';
  readonly hint: string;

  constructor(cause: unknown, hint: string) {
    super(messageOf(cause), { cause });
    this.hint = hint;
  }
}

/** The message of anything thrown. */
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

/** Adds a hint to an interruption of a request: whether the request took effect is not known then. */
export function hintOnInterruption<T>(request: PromiseLike<T>, hint: string): Promise<T> {
  return withHint(request, (error) => (error instanceof Interruption ? hint : undefined));
}

/** Makes a failure of a code of the CLI itself. */
export function makeFailure(exitCode: ExitCode, code: string, message: string, hint?: string): Failure {
  return { exitCode, report: { code, message, ...(hint === undefined ? {} : { hint }) } };
}

/** Sorts any thrown error into its class and adds the hint. */
export function toFailure(error: unknown): Failure {
  if (error instanceof HintedError) {
    const { exitCode, report } = toFailure(error.cause);
    return { exitCode, report: { ...report, hint: error.hint } };
  }
  const failure = classify(error);
  const hint = ownHint(error) ?? hintOf(failure.report.code, failure.report.status);
  return hint === undefined ? failure : { ...failure, report: { ...failure.report, hint } };
}

// The SDK wraps an error of the credential store; the hint of the store still counts.
function ownHint(error: unknown): string | undefined {
  if (error instanceof UsageError) return error.hint;
  return error instanceof sdk.CredentialError && error.cause instanceof HintedError ? error.cause.hint : undefined;
}

function classify(error: unknown): Failure {
  if (error instanceof Interruption) return makeFailure(exitCodes.interrupted, error.code, error.message);
  if (error instanceof UsageError) return makeFailure(exitCodes.usage, error.code, error.message);
  if (sdk.isPlatformError(error)) {
    if (error instanceof sdk.ApiError) return describeRefusal(error);
    return makeFailure(exitCodeOfPlatformError(error), error.code, error.message);
  }
  if (isFileError(error)) return makeFailure(exitCodes.unexpected, 'file_error', error.message);
  return makeFailure(exitCodes.unexpected, 'unexpected', messageOf(error));
}

function describeRefusal(error: sdk.ApiError): Failure {
  return {
    exitCode: exitCodeOfStatus(error.status),
    report: {
      code: error.serverCode ?? error.code,
      message: error.message,
      status: error.status,
      ...(error.requestId === null ? {} : { request_id: error.requestId }),
      ...(error.retryAfterSeconds === null ? {} : { retry_after_seconds: error.retryAfterSeconds }),
      ...(error.details.length === 0 ? {} : { details: error.details }),
    },
  };
}

const pendingErrors = [sdk.OutcomeUnknownError, sdk.MessagePendingError, sdk.OperationPendingError];

function exitCodeOfPlatformError(error: Error): ExitCode {
  if (pendingErrors.some((kind) => error instanceof kind)) return exitCodes.outcomeUnknown;
  if (error instanceof sdk.EnvelopeError) return exitCodes.refusedInput;
  if (error instanceof sdk.KeyChangedError) return exitCodes.conflict;
  if (error instanceof sdk.StreamClosedError) return exitCodes.notAuthorised;
  if (error instanceof sdk.ConnectionError) return exitCodes.unavailable;
  if (error instanceof sdk.AgentNotFoundError) return exitCodes.notFound;
  if (error instanceof sdk.ConfigurationError) return exitCodes.usage;
  if (error instanceof sdk.CredentialError) {
    if (error.code === 'wrong_origin') return exitCodes.usage;
    const isAuthorization = error.code === 'no_credential' || error.code === 'credential_unreadable';
    return isAuthorization ? exitCodes.notAuthorised : exitCodes.unexpected;
  }
  return exitCodes.unexpected;
}

// A failed write tells no path.
function isFileError(error: unknown): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || !('syscall' in error)) return false;
  return 'path' in error || error.syscall === 'write';
}
