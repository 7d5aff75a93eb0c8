import type { ErrorCode } from '../error-codes.ts';

/** A part of a request that failed validation (§8.3). */
export interface ValidationDetail {
  /** A JSON Pointer into the body or the query; empty for all of it. */
  readonly path: string;
  readonly message: string;
}

/** Thrown if a request is malformed for its operation. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';
  readonly code: ErrorCode;
  readonly details: readonly ValidationDetail[] | undefined;

  constructor(code: ErrorCode, message: string, details?: readonly ValidationDetail[]) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
