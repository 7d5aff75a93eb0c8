import { type ErrorCode, errorStatuses } from '@agent-platform/contract';

/** An expected denial with the code that the specification gives it. */
export class FakeRefusal extends Error {
  override readonly name = 'FakeRefusal';
  readonly code: ErrorCode;
  /** Becomes `Retry-After`. */
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

/** The value, or a refusal where there is none. */
export function orRefuse<T>(value: T | undefined, code: ErrorCode): T {
  if (value === undefined) throw new FakeRefusal(code);
  return value;
}
