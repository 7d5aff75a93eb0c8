import { type AnyPlatformError, isPlatformError } from '../errors.ts';

/** Status, headers and request id of a response. */
export interface ResponseMetadata {
  readonly status: number;
  /** The unmodified headers, which can contain secrets that the server sets or echoes. Do not log them unredacted. */
  readonly headers: Headers;
  /** The id of the request in the server's logs. */
  readonly requestId: string | null;
}

/** The data of a response with its metadata. */
export interface ApiResult<T> {
  readonly data: T;
  readonly response: ResponseMetadata;
}

/** The outcome of a call, which `result()` returns. */
export type CallResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: AnyPlatformError };

/**
 * The promise of every call: await it for the data, or call `withResponse` to also get status, headers and request
 * id.
 *
 * @example
 * const { data, response } = await platform.bots.me().withResponse();
 */
export class ApiPromise<T> extends Promise<T> {
  readonly #answer: Promise<ApiResult<T>>;

  // `then`, `catch` and `finally` return plain promises, because only the call itself has a response.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(answer: Promise<ApiResult<T>>) {
    super((resolve, reject) => {
      answer.then(({ data }) => resolve(data), reject);
    });
    this.#answer = answer;
  }

  /**
   * Resolves to the outcome as a value, for programs that prefer a branch to a `catch`. Other errors, such as the
   * reason of an abort, still reject.
   *
   * @example
   * const outcome = await platform.orders.accept(order).result();
   * if (!outcome.ok && outcome.error.code === 'version_conflict') console.log('The order has changed.');
   */
  async result(): Promise<CallResult<T>> {
    try {
      return { ok: true, value: await this };
    } catch (error) {
      if (isPlatformError(error)) return { ok: false, error };
      throw error;
    }
  }

  /** Resolves to the data with status, headers and request id; rejects like the call. */
  withResponse(): Promise<ApiResult<T>> {
    // The caller handles a failure through the returned promise; this catch only prevents an unhandled rejection.
    this.then(undefined, () => undefined);
    return this.#answer;
  }
}

export async function mapResult<T, U>(answer: Promise<ApiResult<T>>, pick: (data: T) => U): Promise<ApiResult<U>> {
  const { data, response } = await answer;
  return { data: pick(data), response };
}
