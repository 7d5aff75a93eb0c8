import { type ClientEndpoint, eventsPath } from '@agent-platform/contract/client';
import { ConfigurationError } from '../errors.ts';

/** Accepts plain `http:` only for this machine or with `allowPlainHttp`, because it sends the token unencrypted. */
export function parseBaseUrl(baseUrl: string | URL, allowPlainHttp: boolean): URL {
  return parseAddress('baseUrl', baseUrl, 'https', allowPlainHttp);
}

function parseAddress(name: string, address: string | URL, safe: 'https' | 'wss', allowPlain: boolean): URL {
  const plain = safe === 'https' ? 'http' : 'ws';
  const url = URL.parse(String(address));
  if (url === null) throw new ConfigurationError(`${name} is not a URL. Use a URL such as ${safe}://platform.example.`);
  if (url.protocol !== `${safe}:` && url.protocol !== `${plain}:`) {
    throw new ConfigurationError(`${name} starts with "${url.protocol}"; it must start with ${safe}: or ${plain}:.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ConfigurationError(`${name} contains a user name or a password; remove them.`);
  }
  if (url.search !== '' || url.hash !== '') {
    throw new ConfigurationError(`${name} contains a query or a fragment; remove "?" and "#".`);
  }
  if (url.protocol === `${plain}:` && !allowPlain && !isLoopback(url.hostname)) {
    throw new ConfigurationError(
      `${name} would send the token unencrypted to "${url.hostname}". Use ${safe}, or set allowPlainHttp if the network is trusted.`,
    );
  }
  url.pathname = url.pathname.replace(/(?<!\/)\/+$/, '');
  return url;
}

/** A separate `wsUrl` must be as secure as `baseUrl`, because the token is also sent to it. */
export function parseStreamUrl(wsUrl: string | URL | undefined, baseUrl: URL, allowPlain: boolean): URL {
  const url = wsUrl === undefined ? new URL(baseUrl) : parseAddress('wsUrl', wsUrl, 'wss', allowPlain);
  if (wsUrl === undefined) url.protocol = baseUrl.protocol === 'https:' ? 'wss:' : 'ws:';
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}${eventsPath}`;
  return url;
}

/** DNS may resolve subdomains of `localhost` to another machine, so they are not accepted. */
function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname === '[::1]') return true;
  // `URL` normalizes every notation of an IPv4 address to dotted decimal form.
  return /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
}

export function buildUrl(base: URL, operation: ClientEndpoint, params: object = {}, query: object = {}): string {
  const values = new Map<string, unknown>(Object.entries(params));
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathSegment(name, values.get(name)));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  // The parts are already encoded, so they are concatenated; `new URL` would resolve the path.
  return `${base.origin}${base.pathname.replace(/(?<!\/)\/+$/, '')}${path}${search.size === 0 ? '' : `?${search}`}`;
}

// Percent-encoding does not change `.` and `..`. A URL parser would resolve them, so that an external value could
// select another operation.
function pathSegment(name: string, value: unknown): string {
  const text = value === undefined ? '' : String(value);
  if (text === '' || text === '.' || text === '..') {
    throw new ConfigurationError(`"${text}" cannot be used as the ${name} in a path.`);
  }
  return encodeURIComponent(text);
}
