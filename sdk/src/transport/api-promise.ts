/** What came with the data of an answer. */
export interface AnswerMeta {
  readonly status: number;
  /** As they came: what the server sets or repeats of secrets is in them. Do not log them whole. */
  readonly headers: Headers;
  /** Names the exchange in the logs of the server. */
  readonly requestId: string | null;
}

/** The data of an answer together with the rest of it. */
export interface Answer<T> {
  readonly data: T;
  readonly response: AnswerMeta;
}

/**
 * The promise of every call: await it for the data, or ask it for status,
 * headers and request id as well.
 *
 * @example
 * const { data, response } = await platform.bots.me().withResponse();
 */
export class ApiPromise<T> extends Promise<T> {
  readonly #answer: Promise<Answer<T>>;

  // `then` and its kin give plain promises: only the call itself has an answer.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(answer: Promise<Answer<T>>) {
    super((resolve, reject) => {
      answer.then(({ data }) => resolve(data), reject);
    });
    this.#answer = answer;
  }

  /** The data with status, headers and request id; rejects as the call does. */
  withResponse(): Promise<Answer<T>> {
    // Whoever takes this promise handles its failure; the failure of the call's
    // own promise is the same one and must not count as unhandled beside it.
    this.then(undefined, () => undefined);
    return this.#answer;
  }
}

/** Takes one part out of the data of an answer. */
export async function mapAnswer<T, U>(answer: Promise<Answer<T>>, pick: (data: T) => U): Promise<Answer<U>> {
  const { data, response } = await answer;
  return { data: pick(data), response };
}
