import { ConfigurationError } from '../errors.ts';

// `authorization` belongs to the credential and its origin; a second way in
// would bypass that. The other headers frame the message.
const own = new Set([
  'accept',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'host',
  'transfer-encoding',
  'upgrade',
]);

/** The headers of a request, without its bearer. `contentType` is null where there is no body. */
export function requestHeaders(contentType: string | null, additional: Readonly<Record<string, string>> = {}): Headers {
  const headers = new Headers({ accept: 'application/json', 'user-agent': 'agent-platform-sdk' });
  for (const [name, value] of Object.entries(additional)) {
    if (own.has(name.toLowerCase())) {
      throw new ConfigurationError(`The header "${name}" is set by this package and cannot be overridden.`);
    }
    set(headers, name, value);
  }
  if (contentType !== null) headers.set('content-type', contentType);
  return headers;
}

// The error of `Headers` quotes the value, which may be a secret.
function set(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    throw new ConfigurationError(`The header "${name}" has a name or a value that HTTP cannot carry.`);
  }
}
