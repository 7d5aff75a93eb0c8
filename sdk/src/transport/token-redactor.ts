const shownInstead = '[hidden]';
// Rotations are rare, so only the latest few tokens can still occur in a response.
const tokensMax = 16;

/**
 * Hides the tokens that a client has used. A server or proxy may echo a token in a message or header, which a program
 * may log.
 */
export class TokenRedactor {
  readonly #tokens = new Set<string>();

  /** Adds a token; above the limit, the oldest token is dropped. */
  add(token: string): void {
    this.#tokens.delete(token);
    this.#tokens.add(token);
    const [oldest] = this.#tokens;
    if (this.#tokens.size > tokensMax && oldest !== undefined) this.#tokens.delete(oldest);
  }

  /** Replaces each token in a text, percent-encoded or not. Truncate only afterwards: partial tokens are not found. */
  readonly hide = (text: string): string => {
    let shown = text;
    for (const token of this.#tokens) {
      shown = shown.replaceAll(token, shownInstead).replaceAll(encodeURIComponent(token), shownInstead);
    }
    return shown;
  };
}
