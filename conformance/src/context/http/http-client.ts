import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { openLiveWorld } from '../../world/live-world.ts';
import { requestOnce } from '../../world/world.ts';
import { parseJson } from '../json.ts';
import type { FormPart } from './multipart.ts';

/** A request as sent, byte for byte. */
export interface HttpRequest {
  readonly method: string;
  /** The path and query, appended to the base address unchanged. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as sent, or a description of it if `bytes` are sent. */
  readonly body: string;
  /** The bytes to send instead of `body`. */
  readonly bytes?: Uint8Array;
  readonly form?: readonly FormPart[];
  /** Whether this is a handshake with the event stream, which may have a separate address. */
  readonly isUpgrade?: boolean;
}

/** A request and its answer. The client does not follow redirects, and does not decompress or repair answers. */
export interface Exchange {
  readonly request: HttpRequest;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly bytes: Buffer;
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown;
}

/** The server sent no valid HTTP answer. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly request: HttpRequest;
  readonly isTimeout: boolean;
  /** Whether the answer violates HTTP. */
  readonly isMalformed: boolean;

  constructor(request: HttpRequest, reason: string, { isTimeout = false, isMalformed = false } = {}) {
    super(`${request.method} ${request.path} got no ${isMalformed ? 'answer in HTTP' : 'answer'}: ${reason}`);
    this.request = request;
    this.isTimeout = isTimeout;
    this.isMalformed = isMalformed;
  }
}

export type HttpClient = ReturnType<typeof openHttpClient>;

const answerTimeoutMs = 30_000;
/** The time limit for a complete answer: without it, a server that sends a few bytes at a time would block the run. */
const exchangeMaxMs = 60_000;
/** The maximum size of an answer, far larger than any expected answer. */
const answerMaxBytes = 4 * 1024 * 1024;

export function answerTimeouts(timeScale: number) {
  return { silenceMs: answerTimeoutMs * timeScale, wholeMs: exchangeMaxMs * timeScale };
}

type Outcome =
  | { readonly status: number; readonly headers: IncomingHttpHeaders; readonly bytes: Uint8Array }
  | { readonly why: string; readonly isTimeout: boolean; readonly isMalformed?: boolean };

// Parser errors that mean invalid HTTP; the excluded codes mean a closed connection and a limit of Node.js.
const malformed = /^HPE_(?!INVALID_EOF_STATE|HEADER_OVERFLOW)/;

/** Makes a client for the server at `baseUrl`; a path in `baseUrl` is prepended to every request path. */
export function openHttpClient(baseUrl: string, { silenceMs, wholeMs } = answerTimeouts(1), world = openLiveWorld()) {
  const base = baseUrl.replace(/(?<!\/)\/+$/, '');
  const isTls = base.startsWith('https:');
  const agent = isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const start = isTls ? httpsRequest : httpRequest;
  const exchange = (request: HttpRequest) =>
    new Promise<Outcome>((resolve) => {
      const fail = ({ message, code = '' }: NodeJS.ErrnoException) =>
        resolve({ why: message, isTimeout: false, isMalformed: malformed.test(code) });
      const giveUp = () => {
        resolve({ why: `no complete answer within ${wholeMs} ms`, isTimeout: true });
        outgoing.destroy();
      };
      const timer = setTimeout(giveUp, wholeMs);
      const body = request.bytes ?? Buffer.from(request.body);
      const isChunked = 'transfer-encoding' in request.headers;
      const length = isChunked ? {} : { 'content-length': String(body.byteLength) };
      const headers = { ...request.headers, ...length };
      // HEAD uses a separate connection: on a shared one, a forbidden body would be parsed as the next answer.
      const connection = { agent: request.method === 'HEAD' ? false : agent };
      const outgoing = start(
        `${base}${request.path}`,
        { method: request.method, headers, ...connection },
        (incoming) => {
          const chunks: Buffer[] = [];
          let size = 0;
          incoming.on('data', (chunk: Buffer) => {
            size += chunk.length;
            if (size > answerMaxBytes) incoming.destroy(new Error(`more than ${answerMaxBytes} bytes`));
            else chunks.push(chunk);
          });
          incoming.once('error', fail);
          incoming.once('end', () => {
            const { statusCode: status = 0, headers } = incoming;
            resolve({ status, headers, bytes: Buffer.concat(chunks) });
          });
        },
      );
      outgoing.setTimeout(silenceMs, () => {
        resolve({ why: `no data for ${silenceMs} ms`, isTimeout: true });
        outgoing.destroy();
      });
      outgoing.once('upgrade', ({ statusCode: status = 0, headers }, socket) => {
        resolve({ status, headers, bytes: Buffer.alloc(0) });
        socket.destroy();
      });
      outgoing.once('error', fail);
      outgoing.once('close', () => {
        clearTimeout(timer);
        // After a complete answer, this has no effect.
        fail(new Error('the connection was closed'));
      });
      outgoing.end(body);
    });
  const send = async (request: HttpRequest): Promise<Exchange> => {
    const { method, path, headers, body } = request;
    const outcome = await requestOnce<Outcome>(world, 'http', { method, path, headers, body }, () => exchange(request));
    if ('why' in outcome) throw new NoAnswerError(request, outcome.why, outcome);
    const bytes = Buffer.from(outcome.bytes);
    const text = bytes.toString('utf8');
    return { request, status: outcome.status, headers: outcome.headers, text, bytes, json: parseJson(text) };
  };
  return { send, close: () => agent.destroy() };
}

/** Returns the token of a Bearer Authorization header; undefined for any other header. */
export function parseBearerToken(authorization = ''): string | undefined {
  return /^Bearer (.*)$/.exec(authorization)?.[1];
}
