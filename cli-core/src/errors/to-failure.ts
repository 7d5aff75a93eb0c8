import * as sdk from '@agent-platform/sdk';
import { type ExitCode, exitCodeOfStatus, exitCodes } from './exit-codes.ts';
import {
  CommandError,
  type Failure,
  type FailureReport,
  HintedError,
  Interruption,
  messageOf,
  UsageError,
} from './failure.ts';
import { completeHint, findHintForCode } from './hints.ts';
import { withoutSdkNames } from './sdk-wording.ts';

/**
 * Classifies any thrown error and adds a hint. `command` is the failed command, such as `agentp orders show`; a hint
 * that contains no command refers to its help.
 */
export function toFailure(error: unknown, command = 'agentp'): Failure {
  if (error instanceof HintedError) {
    const { exitCode, report } = toFailure(error.cause, command);
    return { exitCode, report: { ...report, hint: completeHint(error.hint, command) } };
  }
  const { exitCode, report } = classify(error);
  const hint = ownHint(error) ?? findHintForCode(report.code, report.status, command);
  return { exitCode, report: { ...report, hint: completeHint(hint, command) } };
}

// The SDK wraps errors of the credential store, whose hints still apply.
function ownHint(error: unknown): string | undefined {
  if (error instanceof UsageError || error instanceof CommandError || isToolFailure(error)) return error.hint;
  return error instanceof sdk.CredentialError && error.cause instanceof HintedError ? error.cause.hint : undefined;
}

interface Classified {
  readonly exitCode: ExitCode;
  readonly report: Omit<FailureReport, 'hint'>;
}

function classify(error: unknown): Classified {
  const make = (exitCode: ExitCode, code: string, message: string, retryable = false) => {
    return { exitCode, report: { code, message, retryable } };
  };
  if (error instanceof Interruption) return make(exitCodes.interrupted, error.code, error.message);
  if (error instanceof UsageError) return make(exitCodes.usage, error.code, error.message);
  if (error instanceof CommandError) return make(error.exitCode, error.code, error.message);
  if (isToolFailure(error)) return make(toolExitCodes[error.code] ?? exitCodes.unexpected, error.code, error.message);
  if (sdk.isPlatformError(error)) {
    if (error instanceof sdk.ApiError) return describeRefusal(error);
    const message = withoutSdkNames(error.message);
    return make(exitCodeOfPlatformError(error), error.code, message, temporaryCodes.has(error.code));
  }
  if (isFileError(error)) return make(exitCodes.unexpected, 'file_error', error.message);
  return make(exitCodes.unexpected, 'unexpected', messageOf(error));
}

const toolExitCodes: Readonly<Record<string, ExitCode>> = {
  unknown_tool: exitCodes.usage,
  unknown_class: exitCodes.usage,
  approval_not_found: exitCodes.notFound,
  approval_altered: exitCodes.conflict,
  approval_expired: exitCodes.conflict,
  approval_used: exitCodes.conflict,
  spending_policy_exceeded: exitCodes.limit,
};

/** A refusal by a tool of the SDK, recognized by its shape, because importing its class would load all tools. */
function isToolFailure(error: unknown): error is Error & { readonly code: string; readonly hint: string | undefined } {
  return error instanceof Error && error.name === 'ToolFailure' && 'code' in error;
}

// Retryable errors: nothing took effect, or the SDK may repeat the call. The errors of pending messages and operations
// are not included, because repeating the command would send a second message or operation.
const temporaryCodes: ReadonlySet<string> = new Set(['connection_failed', 'timeout']);

function describeRefusal(error: sdk.ApiError): Classified {
  return {
    exitCode: exitCodeOfStatus(error.status),
    report: {
      code: error.serverCode ?? error.code,
      message: withoutSdkNames(error.message),
      status: error.status,
      ...(error.requestId === null ? {} : { request_id: error.requestId }),
      ...(error.retryAfterSeconds === null ? {} : { retry_after_seconds: error.retryAfterSeconds }),
      ...(error.details.length === 0 ? {} : { details: error.details }),
      retryable: error.retryable,
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

// The error of a failed write contains no path, so it is recognized by its system call.
function isFileError(error: unknown): error is NodeJS.ErrnoException {
  if (!(error instanceof Error) || !('syscall' in error)) return false;
  return 'path' in error || error.syscall === 'write';
}
