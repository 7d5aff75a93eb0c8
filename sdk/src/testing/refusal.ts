import { type ErrorCode, errorStatuses } from '@agent-platform/contract';

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

export function requireOrRefuse<T>(value: T | undefined, code: ErrorCode): T {
  if (value === undefined) throw new FakeRefusal(code);
  return value;
}
