import { findEncodedKeyFault } from '@agent-platform/contract/keys';
import nacl from 'tweetnacl';

/**
 * Everything that an agent needs to act: its identity, its token and its key pair. Any program that can read it can
 * act as the agent. `JSON.stringify` includes the secrets, so that custom stores can save them; `console.log` of a
 * credential made by this package hides them.
 */
export interface Credential {
  /** Scheme, host and port of the only server that may receive the token. */
  readonly origin: string;
  readonly bot_id: string;
  readonly handle: string;
  /** Null once the token is revoked. */
  readonly token: string | null;
  /** ISO 8601, or null if the server did not report it. */
  readonly token_expires_at: string | null;
  /** When the token was issued, by this machine's clock; ISO 8601. Absent in credentials of earlier versions. */
  readonly token_issued_at?: string | null | undefined;
  /** X25519, canonical base64. */
  readonly encryption_public_key: string;
  /** X25519, base64. It is never sent and cannot be restored. */
  readonly encryption_secret_key: string;
}

/** Makes a frozen copy of a credential that hides its secrets when printed. */
export function hideCredentialSecrets(credential: Credential): Credential {
  const copy = {
    origin: credential.origin,
    bot_id: credential.bot_id,
    handle: credential.handle,
    token: credential.token,
    token_expires_at: credential.token_expires_at,
    ...(typeof credential.token_issued_at === 'string' && { token_issued_at: credential.token_issued_at }),
    encryption_public_key: credential.encryption_public_key,
    encryption_secret_key: credential.encryption_secret_key,
  };
  return hideSecrets(copy, ['token', 'encryption_secret_key']);
}

/** The member that `console.log` calls in Node.js, Bun and Deno; defined here without importing Node.js. */
export const inspectSymbol: unique symbol = Symbol.for('nodejs.util.inspect.custom');

/** Freezes a record and hides the named members in `console.log` and `util.inspect`. */
export function hideSecrets<T extends object>(record: T, names: readonly (keyof T & string)[]): T {
  const hidden = new Set<string>(names);
  const show = () =>
    Object.fromEntries(
      Object.entries(record).map(([name, value]) => [name, hidden.has(name) && value !== null ? '[hidden]' : value]),
    );
  Object.defineProperty(record, inspectSymbol, { value: show });
  return Object.freeze(record);
}

/**
 * Checks whether a text can be a bearer token: visible ASCII without spaces, even if it is longer than §2.20 allows.
 * Line breaks are refused, because the HTTP client would quote such a token in its error message.
 */
export function isBearerToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,4096}$/.test(value);
}

export function isCredential(value: unknown): value is Credential {
  if (typeof value !== 'object' || value === null) return false;
  const record: { [Name in keyof Credential]?: unknown } = value;
  return (
    typeof record.origin === 'string' &&
    typeof record.bot_id === 'string' &&
    typeof record.handle === 'string' &&
    (record.token === null || isBearerToken(record.token)) &&
    (record.token_expires_at === null || typeof record.token_expires_at === 'string') &&
    (record.token_issued_at == null || typeof record.token_issued_at === 'string') &&
    typeof record.encryption_public_key === 'string' &&
    findEncodedKeyFault(record.encryption_public_key, nacl.scalarMult) === undefined &&
    typeof record.encryption_secret_key === 'string' &&
    /^[A-Za-z0-9+/]{43}=$/.test(record.encryption_secret_key)
  );
}
