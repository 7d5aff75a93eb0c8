import type { Endpoint } from '@agent-platform/contract';
import { ConfigurationError } from './errors.ts';

/**
 * Checks the address of a server: https, or http to this machine alone unless
 * it is allowed, and nothing in it that a request could not carry.
 */
export function parseBaseUrl(baseUrl: string | URL, allowPlainHttp: boolean): URL {
  const url = URL.parse(String(baseUrl));
  if (url === null) throw new ConfigurationError('baseUrl is not a URL. Write it like https://platform.example.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new ConfigurationError(`baseUrl begins with "${url.protocol}"; it has to be https: or http:.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigurationError('baseUrl holds a user name or a password; the token is the only way to log in.');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new ConfigurationError('baseUrl holds a query or a fragment; leave "?" and "#" away.');
  }
  if (url.protocol === 'http:' && !allowPlainHttp && !isLoopback(url.hostname)) {
    throw new ConfigurationError(
      `baseUrl would send the token unencrypted to "${url.hostname}". Use https, or set allowPlainHttp if the way there is safe.`,
    );
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** Tells whether a host name can only mean this machine. */
export function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]') return true;
  // URL has brought every spelling of an IPv4 address into dotted decimal form.
  return /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

/** Puts an operation, the values of its path and its query under the address of the server. */
export function buildUrl(base: URL, operation: Endpoint, params: object = {}, query: object = {}): URL {
  const values = new Map<string, unknown>(Object.entries(params));
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathSegment(name, values.get(name)));
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/+$/, '')}${path}`;
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

// `..` survives percent-encoding and would climb out of the path when the URL
// is resolved: a value from outside could then choose the operation.
function pathSegment(name: string, value: unknown): string {
  const text = value === undefined ? '' : String(value);
  if (text === '' || text === '.' || text === '..') {
    throw new ConfigurationError(`"${text}" cannot be the ${name} of a path.`);
  }
  return encodeURIComponent(text);
}
