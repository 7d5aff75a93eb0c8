import * as sdk from '@agent-platform/sdk';
import { type ExitCode, exitCodeOfStatus, exitCodes } from './exit-codes.ts';
import { type Failure, HintedError, Interruption, makeFailure, messageOf, UsageError } from './failure.ts';
import { hintOf } from './hints.ts';

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
