import type { IncomingMessage } from 'node:http';
import { Refusal } from '../refusal.ts';

/** Headers of which a proxy and this server could take different ones, when there are two. */
const singleHeaders = new Set(['host', 'authorization', 'content-type', 'content-length', 'transfer-encoding']);

const hostForm = /^(?:\[[0-9a-f:.]+\]|[\w.~%-]+)(?::\d{1,5})?$/i;

/** Refuses a request whose head can be read in more than one way (P-22). */
export function findHeadFault(request: IncomingMessage): Refusal | undefined {
  const { httpVersion, rawHeaders, headers } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return refuse('Speak HTTP/1.1.');
  const repeated = findRepeated(rawHeaders);
  if (repeated !== undefined) return refuse(`The header ${repeated} occurs more than once. Send it once.`);
  if (headers.host === undefined ? httpVersion === '1.1' : !hostForm.test(headers.host)) {
    return refuse('An HTTP/1.1 request requires a Host header with a name or an address.');
  }
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return refuse('The only transfer coding is chunked.');
  if (request.url?.includes('#') === true)
    return refuse('A request target must not contain a fragment (#). Remove it.');
  return undefined;
}

function findRepeated(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (!singleHeaders.has(name)) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

function refuse(message: string): Refusal {
  return new Refusal('invalid_input', message);
}
