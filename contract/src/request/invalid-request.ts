import type { ErrorCode } from '../error-codes.ts';

/** A part of a request that failed validation (§8.3). */
export interface Detail {
  /** A JSON Pointer into the body or the query; empty for all of it. */
  readonly path: string;
  readonly message: string;
}

/** A request is malformed for its operation. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
  readonly code: ErrorCode;
  readonly details: readonly Detail[] | undefined;

  constructor(code: ErrorCode, message: string, details?: readonly Detail[]) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
