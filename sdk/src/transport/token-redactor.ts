const shownInstead = '[hidden]';
// Rotations are rare, so only the latest few tokens can still occur in a response.
const tokensMax = 16;

/**
 * Hides the tokens of a client in texts, because a server or proxy may echo a token in a message or header that the
 * program logs.
 */
export class TokenRedactor {
  readonly #tokens = new Set<string>();

  add(token: string): void {
    this.#tokens.delete(token);
    this.#tokens.add(token);
    const [oldest] = this.#tokens;
    if (this.#tokens.size > tokensMax && oldest !== undefined) this.#tokens.delete(oldest);
  }

  /** Truncate a text only afterwards, because partial tokens are not found. */
  readonly hide = (text: string): string => {
    let shown = text;
    for (const token of this.#tokens) {
      shown = shown.replaceAll(token, shownInstead).replaceAll(encodeURIComponent(token), shownInstead);
    }
    return shown;
  };
}
