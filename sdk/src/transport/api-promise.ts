/** What came with the data of an answer. */
export interface ResponseMetadata {
  readonly status: number;
  /** As they came: what the server sets or repeats of secrets is in them. Do not log them whole. */
  readonly headers: Headers;
  /** Names the exchange in the logs of the server. */
  readonly requestId: string | null;
}

/** The data of an answer together with the rest of it. */
export interface ApiResult<T> {
  readonly data: T;
  readonly response: ResponseMetadata;
}

/**
 * The promise of every call: await it for the data, or ask it for status,
 * headers and request id as well.
 *
 * @example
 * const { data, response } = await platform.bots.me().withResponse();
 */
export class ApiPromise<T> extends Promise<T> {
  readonly #answer: Promise<ApiResult<T>>;

  // `then` and its kin give plain promises: only the call itself has an answer.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(answer: Promise<ApiResult<T>>) {
    super((resolve, reject) => {
      answer.then(({ data }) => resolve(data), reject);
    });
    this.#answer = answer;
  }

  /** The data with status, headers and request id; rejects as the call does. */
  withResponse(): Promise<ApiResult<T>> {
    // Whoever takes this promise handles its failure; the failure of the call's
    // own promise is the same one and must not count as unhandled beside it.
    this.then(undefined, () => undefined);
    return this.#answer;
  }
}

/** Takes one part out of the data of an answer. */
export async function mapResult<T, U>(answer: Promise<ApiResult<T>>, pick: (data: T) => U): Promise<ApiResult<U>> {
  const { data, response } = await answer;
  return { data: pick(data), response };
}
