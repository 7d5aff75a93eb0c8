import { CannotRun } from '../context/cannot-run.ts';
import { type Exchange, type HttpClient, NoAnswerError, openHttpClient } from '../context/http/http-client.ts';
import { isObject } from '../context/json.ts';
import { mePath } from '../context/paths.ts';
import { unansweredExchange } from '../context/retry-policy.ts';
import type { RunWorld } from '../world/world.ts';

// Long enough for a server to answer, but short for a user who waits for a hint.
const probeMs = 5_000;

/** A client of the server, and the world that clients of other addresses use. */
export interface ServerAccess {
  readonly http: HttpClient;
  readonly world: RunWorld;
}

/** Reads the agent's own profile. Throws if the server does not answer or if the API is at another address. */
export async function readOwnProfile(
  { http, world }: ServerAccess,
  baseUrl: string,
  token: string | undefined,
): Promise<Exchange> {
  try {
    const exchange = await http.send(requestWith(token));
    // If the base URL contains `/api/v1`, even a valid answer proves nothing: some servers return 401 for every path.
    const isElsewhere = !isApi(exchange) || new URL(baseUrl).pathname.includes('/api/v1');
    const other = isElsewhere ? await findElsewhere(baseUrl, world) : undefined;
    if (other === undefined) return exchange;
    throw new CannotRun(
      `${baseUrl} is not the base URL of the API, which answers at ${other}: use --base-url ${other}`,
    );
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    const scheme = await findScheme(baseUrl, world);
    // An answer that violates HTTP does not end the run here: the checks report it as a violation.
    if (error.isMalformed && scheme === undefined) return unansweredExchange(error.request);
    const hint = scheme ?? causes.find(([pattern]) => pattern.test(error.message))?.[1];
    throw new CannotRun(hint === undefined ? error.message : `${error.message}. ${hint}`);
  }
}

/** Returns notes if the server does not answer in HTTP or seems to be a website. */
export function findWebsiteHint({ status, headers }: Exchange, baseUrl: string): readonly string[] {
  if (status === 0) return [`${baseUrl} does not answer in HTTP that Node.js can parse.`];
  if (!/^text\/html/i.test(headers['content-type'] ?? '')) return [];
  return [
    `${baseUrl} answers ${status} with a web page to GET ${mePath}: it seems to be a website. The base URL is the part of the address before /api/v1.`,
  ];
}

function requestWith(token: string | undefined) {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return { method: 'GET', path: mePath, headers, body: '' };
}

// Without a token, the request for the agent's own profile returns 401 with an error object.
function isApi({ status, json }: Exchange): boolean {
  return status === 200 || (status === 401 && isObject(json) && isObject(json['error']));
}

/** Finds an address with a shorter path or the other scheme at which the API answers; undefined if there is none. */
async function findElsewhere(baseUrl: string, world: RunWorld): Promise<string | undefined> {
  const { origin, pathname } = new URL(baseUrl);
  const parts = pathname.split('/').filter((part) => part !== '');
  const paths = parts.map((_, at) => parts.slice(0, parts.length - 1 - at).map((part) => `/${part}`));
  const candidates = [baseUrl.replace(/\/api\/v1.*/, ''), ...paths.map((path) => `${origin}${path.join('')}`)];
  for (const candidate of [...candidates, otherScheme(baseUrl)]) {
    if (candidate === baseUrl) continue;
    const exchange = await probe(candidate, world).catch(() => undefined);
    if (exchange !== undefined && isApi(exchange)) return candidate;
  }
  return undefined;
}

async function probe(baseUrl: string, world: RunWorld): Promise<Exchange> {
  const http = openHttpClient(baseUrl, { silenceMs: probeMs, wholeMs: probeMs }, world);
  try {
    return await http.send(requestWith(undefined));
  } finally {
    http.close();
  }
}

function otherScheme(baseUrl: string): string {
  return baseUrl.startsWith('https:') ? baseUrl.replace('https:', 'http:') : baseUrl.replace('http:', 'https:');
}

// Hints for the error messages of Node.js and OpenSSL that wrong addresses cause.
const causes: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/ECONNREFUSED/, 'No program listens there: start the server, or correct the host and the port.'],
  [/ENOTFOUND|EAI_AGAIN/, 'The host name cannot be resolved.'],
  [/certificate|CERT_/i, 'The certificate is not trusted: NODE_EXTRA_CA_CERTS=FILE adds the one that signed it.'],
];

/** Returns a hint if the server answers with the other scheme; otherwise undefined. */
async function findScheme(baseUrl: string, world: RunWorld): Promise<string | undefined> {
  const other = otherScheme(baseUrl);
  const found = await probe(other, world).then(
    () => true,
    (error: unknown) => error instanceof NoAnswerError && /certificate/i.test(error.message),
  );
  const kind = other.startsWith('https:') ? 'TLS' : 'plain HTTP';
  return found ? `The server at this address speaks ${kind}: use --base-url ${other}` : undefined;
}
