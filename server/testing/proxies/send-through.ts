import { type ClientRequest, request as http, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as https } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { Json } from '../test-server.ts';

export interface ProxyRequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The address from which the client connects. */
  readonly from?: string;
  /** Sent one after another, with a pause after each. */
  readonly parts?: readonly (string | Uint8Array)[];
  readonly pauseMs?: number;
}

/** Each request uses a new connection. */
export interface ProxyResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: Json | undefined;
}

/** `ca` is the certificate that signed the proxy's certificate. */
export async function sendThroughProxy(
  url: string,
  ca: string,
  path: string,
  sent: ProxyRequestOptions = {},
): Promise<ProxyResponse> {
  const { method = 'GET', headers = {}, from, parts = [], pauseMs = 0 } = sent;
  const size = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  const length = parts.length === 0 ? {} : { 'content-length': String(size) };
  const address = from === undefined ? {} : { localAddress: from };
  const start = url.startsWith('https:') ? https : http;
  // The proxy's name only resolves to an IPv4 address.
  const options = { method, ca, agent: false, family: 4, headers: { ...length, ...headers }, ...address };
  const outgoing = start(url + path, options);
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
  });
  const sending = sendBody(outgoing, parts, pauseMs);
  const answer = await answered;
  // A server that responds before the end of the body closes the connection, which is not a failure.
  outgoing.on('error', () => undefined);
  await sending;
  const body = await text(answer);
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: body, json: parse(body) };
}

async function sendBody(to: ClientRequest, parts: readonly (string | Uint8Array)[], pauseMs: number): Promise<void> {
  for (const part of parts) {
    if (to.destroyed) return;
    to.write(part);
    if (pauseMs > 0) await wait(pauseMs);
  }
  to.end();
}

function parse(body: string): Json | undefined {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return undefined;
  }
}
