/** Response headers by lower-case name. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Makes a `Headers` object only on demand, because making one takes longer than the rest of a call. */
export class ResponseHeaders {
  readonly #source: Headers | HeaderFields;
  #all: Headers | undefined;

  /** @param source has names in lower case; a repeated header has a list of values */
  constructor(source: Headers | HeaderFields) {
    this.#source = source;
  }

  /** The name must be in lower case. */
  get(name: string): string | null {
    if (isHeaders(this.#source)) return this.#source.get(name);
    const value = this.#source[name];
    return typeof value === 'object' ? value.join(', ') : (value ?? null);
  }

  get all(): Headers {
    this.#all ??= isHeaders(this.#source) ? this.#source : toHeaders(this.#source);
    return this.#all;
  }
}

function isHeaders(source: Headers | HeaderFields): source is Headers {
  return typeof source['get'] === 'function';
}

function toHeaders(fields: HeaderFields): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of typeof value === 'object' ? value : [value ?? '']) appendHeader(headers, name, one);
  }
  return headers;
}

export function appendHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value);
  } catch {
    // A field that `Headers` does not accept must not make the call fail.
  }
}
