const shownInstead = '[hidden]';
// Rotations are rare; only the last few tokens can still be in a response.
const tokensMax = 16;

/**
 * Hides the tokens that a client has used. A server or a proxy may
 * repeat one, in a message or a header, and from there it would go to a log.
 */
export class TokenRedactor {
  readonly #tokens = new Set<string>();

  /** Adds a token; the oldest one is dropped when there are too many. */
  add(token: string): void {
    this.#tokens.delete(token);
    this.#tokens.add(token);
    const [oldest] = this.#tokens;
    if (this.#tokens.size > tokensMax && oldest !== undefined) this.#tokens.delete(oldest);
  }

  /** Replaces each token in a text, percent-encoded or not. Cut a text only afterwards: half a token is not found. */
  readonly hide = (text: string): string => {
    let shown = text;
    for (const token of this.#tokens) {
      shown = shown.replaceAll(token, shownInstead).replaceAll(encodeURIComponent(token), shownInstead);
    }
    return shown;
  };
}
