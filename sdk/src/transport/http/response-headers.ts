/** The headers of a response, by name in lower case. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The headers of a response. `Headers` takes longer than the rest of a call, so it is made on demand. */
export class ResponseHeaders {
  readonly #source: Headers | HeaderFields;
  #all: Headers | undefined;

  /** @param source with names in lower case; a repeated name has a list */
  constructor(source: Headers | HeaderFields) {
    this.#source = source;
  }

  /** The value of a header, by name in lower case. */
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
    for (const one of typeof value === 'object' ? value : [value ?? '']) appendField(headers, name, one);
  }
  return headers;
}

/**
 * Adds a response header. `Headers` does not accept every name and value; such fields are skipped, so that they do
 * not fail the call.
 */
export function appendField(headers: Headers, name: string, value: string): void {
  try {
    headers.append(name, value);
  } catch {
    // This field is skipped.
  }
}
