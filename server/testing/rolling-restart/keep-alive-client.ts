import * as http from 'node:http';
import * as https from 'node:https';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { Json } from '../test-server.ts';
import type { TrustedAddress } from './balancer.ts';

export interface KeepAliveRequestOptions {
  readonly token?: string;
  readonly type?: string;
  /** Sent one after another, with a pause after each. */
  readonly parts?: readonly (string | Uint8Array)[];
  readonly pauseMs?: number;
  /** The time limit until the response is complete. */
  readonly timeoutMs?: number;
}

/** A client with a single connection that never retries. */
export type KeepAliveClient = ReturnType<typeof makeKeepAliveClient>;

/**
 * The lifetime of an idle connection: half of `timeout http-keep-alive` in `deploy/haproxy.cfg`. If the proxy closed
 * the connection first, a busy client could already be sending the next request, which would be lost.
 */
const idleMs = 30_000;

export function makeKeepAliveClient({ url, ca }: TrustedAddress) {
  const { Agent, request } = url.startsWith('https:') ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 1, family: 4, ca, timeout: idleMs });
  const send = async (method: string, path: string, sent: KeepAliveRequestOptions = {}) => {
    const { token, type = 'application/json', parts = [], pauseMs = 0, timeoutMs } = sent;
    const size = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
    const outgoing = request(url + path, {
      agent,
      method,
      ...(timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) }),
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(parts.length === 0 ? {} : { 'content-type': type, 'content-length': size }),
      },
    });
    const answered = new Promise<http.IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve);
      outgoing.once('error', reject);
    });
    // Awaited below; this only prevents an unhandled rejection if the response fails while the body is being sent.
    answered.catch(() => undefined);
    for (const part of parts) {
      outgoing.write(part);
      if (pauseMs > 0) await wait(pauseMs);
    }
    outgoing.end();
    const answer = await answered;
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) };
  };
  return {
    /** Throws if there is no response. */
    send,
    /** Returns the body of a response with this status; throws for any other status. */
    expect: async (status: number, method: string, path: string, sent: KeepAliveRequestOptions = {}): Promise<Json> => {
      const answer = await send(method, path, sent);
      if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
      return JSON.parse(String(answer.body)) as Json;
    },
    close: () => agent.destroy(),
  };
}
