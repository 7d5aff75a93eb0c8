import type { HttpRequest } from '../../context/http/http-client.ts';
import { apiAreaOf } from '../../context/http/operations.ts';
import type { PoolAgent } from '../../context/pool/pool.ts';
import { shellNameOf } from '../../context/pool/token-register.ts';
import { isShellSafe, quoteForShell } from '../../verdict/curl.ts';
import { commonPrefixLength, countsAsDerived, credentialsOf, parseJsonBody } from './select-history.ts';

/** The shell variables of a script, each for a text that differs between servers or runs. */
export class ScriptVariables {
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();
  #pattern: RegExp | undefined;

  /** Adds a variable if the text has none. */
  name(text: string, wanted: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    let name = wanted;
    for (let count = 2; this.#taken.has(name); count += 1) name = `${wanted}_${count}`;
    this.#taken.add(name);
    this.#names.set(text, name);
    this.#pattern = undefined;
    return name;
  }

  has(text: string): boolean {
    return this.#names.has(text);
  }

  get all(): ReadonlyMap<string, string> {
    return this.#names;
  }

  /** Formats a text as a shell word, with variables in place of their texts. */
  quoted(text: string): string {
    const pieces = this.#split(text).map(([piece, name]) => (name === undefined ? quoteForShell(piece) : `"$${name}"`));
    return pieces.length === 0 ? "''" : pieces.join('');
  }

  address(base: string, path: string): string {
    const pieces = this.#split(path);
    const isReadable = pieces.every(([piece, name]) => name !== undefined || isShellSafe(piece));
    if (!isReadable) return `"${base}"${this.quoted(path)}`;
    return `"${base}${pieces.map(([piece, name]) => (name === undefined ? piece : `\${${name}}`)).join('')}"`;
  }

  /** Formats a text with `@NAME@` in place of each variable. */
  marked(text: string): string {
    return this.#split(text)
      .map(([piece, name]) => (name === undefined ? piece : `@${name}@`))
      .join('');
  }

  #split(text: string): readonly (readonly [piece: string, name?: string | undefined])[] {
    if (this.#names.size === 0) return text === '' ? [] : [[text]];
    // Longer texts are matched first, so that a text is never replaced only in part.
    this.#pattern ??= new RegExp(
      `(${[...this.#names.keys()]
        .toSorted((one, other) => other.length - one.length)
        .map((one) => one.replaceAll(/\W/g, String.raw`\$&`))
        .join('|')})`,
    );
    return text
      .split(this.#pattern)
      .filter((piece) => piece !== '')
      .map((piece) => [piece, this.#names.get(piece)]);
  }
}

export function agentVariables(agent: Pick<PoolAgent, 'handle'>) {
  const name = shellNameOf(agent);
  return { id: `BOT_${name}`, handle: `HANDLE_${name}`, key: `KEY_${name}`, token: `TOKEN_${name}` };
}

const resources: Readonly<Record<string, string>> = {
  posts: 'POST',
  orders: 'ORDER',
  attachments: 'FILE',
  contacts: 'CONTACT',
  messages: 'MESSAGE',
};

export function recordVariableOf(request: HttpRequest): string {
  return resources[apiAreaOf(request)] ?? 'ID';
}

/**
 * The value of the Authorization header, for use in double quotes, with variables in place of tokens; undefined if the
 * request has no such header.
 */
export function authorizationOf(request: HttpRequest, variables: ScriptVariables, tokens: Iterable<string>) {
  const header = request.headers['authorization'];
  if (header === undefined) return undefined;
  const credentials = credentialsOf(request) ?? '';
  const scheme = /^[A-Za-z]+ /.exec(header)?.[0] ?? '';
  for (const token of tokens) {
    const name = variables.all.get(token);
    if (name === undefined) continue;
    if (Buffer.from(credentials, 'base64').toString('utf8') === `${token}:`)
      return `${scheme}$(printf '%s:' "$${name}" | base64 | tr -d '\\n')`;
    const shared = commonPrefixLength(credentials, token);
    const rest = credentials.slice(shared);
    // The rest after the shared part is written only if it is short, because it may be secret.
    if (!countsAsDerived(shared, token) || !/^[\w-]{0,4}$/.test(rest)) continue;
    if (shared === token.length && rest === '') return `${scheme}$${name}`;
    return `${scheme}\${${name}${shared === token.length ? '' : `:0:${shared}`}}${rest}`;
  }
  // No agent has this token.
  return `${scheme}wrong-token`;
}

/** The texts of a request that must be new in each run of a script, with variable names and shell expressions. */
export function findFreshValues(
  request: HttpRequest,
  at: number,
  known: ScriptVariables,
): readonly (readonly [text: string, name: string, make: string])[] {
  const { deadline, handle, encryption_public_key: key, nonce } = parseJsonBody(request);
  const found: (readonly [string, string, string])[] = [];
  const utc = typeof deadline === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(deadline) ? Date.parse(deadline) : NaN;
  if (typeof deadline === 'string' && !Number.isNaN(utc))
    found.push([deadline, 'DEADLINE', `$(moment ${Math.round((utc - at) / 1_000)})`]);
  // A valid nonce of 24 bytes has 32 base64 characters; hexadecimal digits are valid base64.
  if (typeof nonce === 'string' && nonce.length === 32) found.push([nonce, 'NONCE', '$(hex 32)']);
  const names = agentVariables({ handle: String(handle) });
  if (typeof handle === 'string' && !known.has(handle)) {
    // Only the random part is replaced, because a check may test the other characters or the length of a handle.
    const core = /[0-9a-f]{6,}/.exec(handle)?.[0];
    if (core !== undefined) found.push([core, names.handle, `$(hex ${core.length})`]);
    else if (handle.length === 2) found.push([`"${handle}"`, names.handle, `'"'$(hex 2 | tr 0-9 g-p)'"'`]);
  }
  if (typeof key === 'string' && key.length > 40 && !known.has(key)) {
    const bytes = Buffer.from(key, 'base64');
    const isKey = bytes.length === 32 && bytes.toString('base64').startsWith(key);
    // In a valid key, all 43 characters are replaced; in another text, not its ends, which may be what is tested.
    const [from, to] = isKey ? [0, 43] : [4, 40];
    found.push([key.slice(from, to), names.key, `$(key | cut -c ${from + 1}-${to})`]);
  }
  return found;
}
