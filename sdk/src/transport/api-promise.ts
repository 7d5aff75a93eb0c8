import { type AnyPlatformError, isPlatformError } from '../errors.ts';

/** Status, headers and request id of a response. */
export interface ResponseMetadata {
  readonly status: number;
  /** Unchanged: they can contain secrets that the server sets or repeats. Do not log them as they are. */
  readonly headers: Headers;
  /** Names the exchange in the logs of the server. */
  readonly requestId: string | null;
}

/** The data of a response with its metadata. */
export interface ApiResult<T> {
  readonly data: T;
  readonly response: ResponseMetadata;
}

/** The outcome of a call as a value. */
export type CallResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: AnyPlatformError };

/**
 * The promise of every call: await it for the data, or call `withResponse` for status,
 * headers and request id as well.
 *
 * @example
 * const { data, response } = await platform.bots.me().withResponse();
 */
export class ApiPromise<T> extends Promise<T> {
  readonly #answer: Promise<ApiResult<T>>;

  // `then`, `catch` and `finally` return plain promises: only the call itself has a response.
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
   * The outcome as a value, for a program that branches on it instead of catching. Errors
   * that are not of this package, such as the reason of an abort, reject.
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

  /** The data with status, headers and request id; rejects as the call does. */
  withResponse(): Promise<ApiResult<T>> {
    // The caller handles the failure of the returned promise; this catch only prevents
    // an unhandled rejection of this one.
    this.then(undefined, () => undefined);
    return this.#answer;
  }
}

/** Picks one part of the data of a response. */
export async function mapResult<T, U>(answer: Promise<ApiResult<T>>, pick: (data: T) => U): Promise<ApiResult<U>> {
  const { data, response } = await answer;
  return { data: pick(data), response };
}
