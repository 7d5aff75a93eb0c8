import type { BodyOf, Endpoint, ParamsOf, QueryOf, ResultOf } from '@agent-platform/contract';
import { makeRequestValidator, type RequestValidator } from '@agent-platform/contract/validation';
import type { FakeAgent } from './world.ts';

/** A request after its validation. */
interface Call<E extends Endpoint> {
  readonly params: ParamsOf<E>;
  readonly query: QueryOf<E>;
  readonly body: BodyOf<E>;
  /** Undefined only if the operation requires no token. */
  readonly caller: E['auth'] extends 'bearer' ? FakeAgent : FakeAgent | undefined;
  /** The bearer token of the request; empty if there is none. */
  readonly token: string;
  /** The parts of a multipart form, if the operation accepts one. */
  readonly form: readonly FormPart[];
}

export type FormPart = readonly [name: string, value: string | UploadedFile];

export interface UploadedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface FileReply {
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** Keeps the literal type of the status, which the return type of a handler requires. */
export function makeReply<const S extends number, const B>(
  status: S,
  body: B,
): { readonly status: S; readonly body: B } {
  return { status, body };
}

/** All success responses of an operation have the same body type. */
interface Reply<E extends Endpoint> {
  readonly status: keyof E['replies'] & number;
  readonly body: ResultOf<E>;
}

export interface AnyReply {
  readonly status: number;
  readonly body?: unknown;
  readonly file?: FileReply;
}

export interface MountedOperation {
  readonly operation: Endpoint;
  readonly validation: RequestValidator;
  readonly handle: (call: Call<Endpoint>) => AnyReply;
}

/** The operations of the contract with their implementations in the fake platform. */
export class OperationTable {
  readonly #mounted = new Map<string, MountedOperation>();

  /** The handler must not refuse a request after it has changed data, because no change is rolled back. */
  on<const E extends Endpoint>(operation: E, handler: (call: Call<E>) => Reply<E>): void {
    this.#mount(operation, handler);
  }

  onFile<const E extends Endpoint>(operation: E, handler: (call: Call<E>) => FileReply): void {
    this.#mount(operation, (call: Call<E>) => ({ status: 200, file: handler(call) }));
  }

  get all(): readonly MountedOperation[] {
    return [...this.#mounted.values()];
  }

  #mount<E extends Endpoint>(operation: E, handler: (call: Call<E>) => AnyReply): void {
    // The cast is safe, because validated requests match the types in the contract.
    const handle = handler as unknown as MountedOperation['handle'];
    this.#mounted.set(operation.id, { operation, validation: makeRequestValidator(operation), handle });
  }
}
