import { isRecord, parseJson } from '../json.ts';
import type { StoredEvent } from '../state/client-state.ts';

/** Request headers as in `fetch` or `node:http`. */
type RequestHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The maximum difference between the time of a signature and the clock. */
const ageMaxSeconds = 300;

/**
 * Verifies an event sent by `agentp events listen --forward-to URL --secret-file F` and returns it; undefined if it was
 * not signed with the secret, was changed, or is older than five minutes. The same event may arrive more than once,
 * with the same `event_id`.
 *
 * @param body the request body before it is parsed
 * @param headers with names in lower case, as `node:http` provides them, or a `Headers`
 * @param secret the content of the file, without the trailing line break
 * @example
 * const event = await verifyEvent(await request.text(), request.headers, secret);
 * if (event === undefined) return new Response(null, { status: 401 });
 */
export async function verifyEvent(
  body: string | Uint8Array<ArrayBuffer>,
  headers: RequestHeaders,
  secret: string,
): Promise<StoredEvent | undefined> {
  const timestamp = readHeader(headers, 'agentp-timestamp');
  const [, hex] = /^v1=([0-9a-f]{64})$/.exec(readHeader(headers, 'agentp-signature')) ?? [];
  if (hex === undefined || secret === '' || !/^\d{1,12}$/.test(timestamp)) return undefined;
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > ageMaxSeconds) return undefined;
  const bytes = typeof body === 'string' ? encode(body) : body;
  const signed = new Uint8Array([...encode(`${timestamp}.`), ...bytes]);
  const key = await crypto.subtle.importKey('raw', encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  // `verify` compares in constant time.
  if (!(await crypto.subtle.verify('HMAC', key, decodeHex(hex), signed))) return undefined;
  return readEvent(new TextDecoder().decode(bytes));
}

function readHeader(headers: RequestHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : Reflect.get(headers, name);
  return typeof value === 'string' ? value : '';
}

function decodeHex(hex: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array((hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function readEvent(text: string): StoredEvent | undefined {
  const event = parseJson(text);
  if (!isRecord(event) || typeof event['event_id'] !== 'string' || typeof event['kind'] !== 'string') return undefined;
  return { event_id: event['event_id'], kind: event['kind'], payload: event['payload'], ...event };
}
