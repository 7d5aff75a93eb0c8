import {
  ApiError,
  ConfigurationError,
  ConnectionError,
  CredentialError,
  EnvelopeError,
  isPlatformError,
  KeyChangedError,
  MessagePendingError,
  OperationPendingError,
  OutcomeUnknownError,
  StreamClosedError,
} from '@agent-platform/sdk';
import { type ExitCode, exitCodeOfStatus, exitCodes } from './exit-codes.ts';
import { cureOf } from './hints.ts';
import { Interruption } from './interruption.ts';

/** What went wrong, as a program reads it in the envelope. */
export interface FailureReport {
  readonly code: string;
  readonly message: string;
  readonly status?: number;
  readonly request_id?: string;
  readonly retry_after_seconds?: number;
  readonly details?: readonly unknown[];
  /** What to do about it. */
  readonly cure?: string;
}

/** What went wrong, with the exit code of its class. */
export interface Failure {
  readonly exitCode: ExitCode;
  readonly report: FailureReport;
}

/** The command line is wrong; nothing was sent. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'usage';
  readonly cure: string | undefined;

  constructor(message: string, cure?: string) {
    super(message);
    this.cure = cure;
  }
}

/** An error of another kind, told together with the cure that only this command knows. */
export class CuredError extends Error {
  override readonly name = 'CuredError';
  readonly cure: string;

  constructor(cause: unknown, cure: string) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.cure = cure;
  }
}

/** Sorts anything that was thrown into its class, and adds the cure. */
export function toFailure(error: unknown): Failure {
  if (error instanceof CuredError) {
    const { exitCode, report } = toFailure(error.cause);
    return { exitCode, report: { ...report, cure: error.cure } };
  }
  const failure = classify(error);
  const cure = error instanceof UsageError ? error.cure : cureOf(failure.report.code, failure.report.status);
  return cure === undefined ? failure : { ...failure, report: { ...failure.report, cure } };
}

function classify(error: unknown): Failure {
  if (error instanceof Interruption) return plain(exitCodes.interrupted, error.code, error.message);
  if (error instanceof UsageError) return plain(exitCodes.usage, error.code, error.message);
  if (isPlatformError(error)) {
    if (error instanceof ApiError) return describeRefusal(error);
    return plain(exitCodeOfPlatformError(error), error.code, error.message);
  }
  if (isFileError(error)) return plain(exitCodes.unexpected, 'file_error', error.message);
  return plain(exitCodes.unexpected, 'unexpected', error instanceof Error ? error.message : String(error));
}

function describeRefusal(error: ApiError): Failure {
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

function exitCodeOfPlatformError(error: Error): ExitCode {
  if (error instanceof OutcomeUnknownError) return exitCodes.outcomeUnknown;
  if (error instanceof MessagePendingError || error instanceof OperationPendingError) return exitCodes.outcomeUnknown;
  if (error instanceof EnvelopeError) return exitCodes.refusedInput;
  if (error instanceof KeyChangedError) return exitCodes.conflict;
  if (error instanceof StreamClosedError) return exitCodes.notAuthorised;
  if (error instanceof ConnectionError) return exitCodes.unavailable;
  if (error instanceof ConfigurationError) return exitCodes.usage;
  if (error instanceof CredentialError) {
    if (error.code === 'wrong_origin') return exitCodes.usage;
    const isAbout = error.code === 'no_credential' || error.code === 'credential_unreadable';
    return isAbout ? exitCodes.notAuthorised : exitCodes.unexpected;
  }
  return exitCodes.unexpected;
}

function plain(exitCode: ExitCode, code: string, message: string): Failure {
  return { exitCode, report: { code, message } };
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'path' in error;
}
