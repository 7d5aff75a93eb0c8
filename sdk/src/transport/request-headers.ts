import { ConfigurationError } from '../errors.ts';
import { isServerRuntime } from '../host.ts';

// Callers must not set these headers. `authorization` is only sent to the origin of the credential, and a caller's
// value would bypass that check; the other headers describe the connection and the body.
const own = new Set([
  'accept',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

/** Returns header names in lower case, without the bearer token. `contentType` is null if there is no body. */
export function makeRequestHeaders(
  contentType: string | null,
  additional: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  return {
    accept: 'application/json',
    // A browser sends its own `user-agent`, and CORS would have to permit another one.
    ...(isServerRuntime && { 'user-agent': 'agent-platform-sdk' }),
    ...(additional && checkHeaders(additional)),
    ...(contentType !== null && { 'content-type': contentType }),
  };
}

function checkHeaders(additional: Readonly<Record<string, string>>): Record<string, string> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(additional)) {
    if (own.has(name.toLowerCase())) {
      throw new ConfigurationError(`The header "${name}" is set by this package and cannot be overridden.`);
    }
    set(headers, name, value);
  }
  return Object.fromEntries(headers);
}

// Replaces the error message of `Headers`, because it contains the value, which may be a secret.
function set(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    throw new ConfigurationError(`The header "${name}" has a name or a value that is invalid in HTTP.`);
  }
}
