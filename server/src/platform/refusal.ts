import { type ErrorCode, errorStatuses } from '@agent-platform/contract';
import type { ValidationDetail } from '@agent-platform/contract/validation';

interface RefusalOptions {
  readonly details?: readonly ValidationDetail[];
  /** Seconds, at least 1; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/**
 * An error response that the specification requires and that is never logged with a stack. Throwing it inside a
 * transaction rolls the transaction back. Anything else that is thrown is a defect.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly details: readonly ValidationDetail[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message: string, options: RefusalOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    const retryAfter =
      options.retryAfterSeconds === undefined
        ? {}
        : { 'retry-after': String(Math.max(1, Math.ceil(options.retryAfterSeconds))) };
    this.headers = { ...options.headers, ...retryAfter };
  }

  get status(): number {
    return errorStatuses[this.code];
  }

  /** Returns the response body in the format that all errors share. */
  toReply(): { error: { code: ErrorCode; message: string; details?: readonly ValidationDetail[] } } {
    const error = { code: this.code, message: this.message };
    return { error: this.details === undefined ? error : { ...error, details: this.details } };
  }
}
