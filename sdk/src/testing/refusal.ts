import { type ErrorCode, errorStatuses } from '@agent-platform/contract';

/** A refusal of a request, with an error code of the specification. */
export class FakeRefusal extends Error {
  override readonly name = 'FakeRefusal';
  readonly code: ErrorCode;
  /** Sent as `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string = code, retryAfterSeconds?: number) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get status(): number {
    return errorStatuses[this.code];
  }
}

/** Returns the value; throws a refusal if it is undefined. */
export function requireOrRefuse<T>(value: T | undefined, code: ErrorCode): T {
  if (value === undefined) throw new FakeRefusal(code);
  return value;
}
