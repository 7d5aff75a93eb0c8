import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FrameFault, passUpgrades, type RunningProxy } from './frame-proxy.ts';

/** A request on its way to the server. */
export interface PassingRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** In UTF-8, but for what is no text: that is one character for each byte. */
  readonly body: string;
}

/** An answer on its way back. */
export interface PassingAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** In UTF-8, but for what is no text: that is one character for each byte. */
  readonly body: string;
}

/** What a faulty server does otherwise; either step may be left as it is. */
export interface Fault {
  /** Changes the request, or answers it without asking the server. */
  readonly onRequest?: (request: PassingRequest) => PassingRequest | PassingAnswer;
  readonly onAnswer?: (answer: PassingAnswer, request: PassingRequest) => PassingAnswer;
  /** What its event stream does otherwise. */
  readonly frames?: FrameFault;
}

/** Starts a server that does what the one at `upstream` does, but for one fault. */
export async function startProxy(upstream: string, fault: Fault): Promise<RunningProxy> {
  const answer = async (request: PassingRequest): Promise<PassingAnswer> => {
    const passing = fault.onRequest?.(request) ?? request;
    if ('status' in passing) return passing;
    const answered = await forward(upstream, passing);
    return fault.onAnswer?.(answered, request) ?? answered;
  };
  return await startServer(answer, (server) => passUpgrades(server, toWs(upstream), fault.frames ?? {}));
}

/** The address of the event stream that belongs to one for HTTP. */
export function toWs(url: string): string {
  return url.replace(/^http/, 'ws');
}

/** Starts a server that answers everything in one way. */
export async function startServer(
  answer: (request: PassingRequest) => PassingAnswer | Promise<PassingAnswer>,
  takeUpgrades?: (server: Server) => () => void,
): Promise<RunningProxy> {
  const server = createServer(async (incoming, response) => {
    const { status, headers, body } = await answer(await read(incoming));
    const bytes = Buffer.from(body, encodingOf(headers));
    const length = incoming.method === 'HEAD' ? {} : { 'content-length': bytes.length };
    response.writeHead(status, { ...headers, ...length }).end(bytes);
  });
  const cut = takeUpgrades?.(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        cut?.();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(incoming: IncomingMessage): Promise<PassingRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  const headers: Record<string, string> = {};
  for (const name of ['authorization', 'content-type']) {
    const value = incoming.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const body = Buffer.concat(chunks).toString(encodingOf(headers));
  return { method: incoming.method ?? '', path: incoming.url ?? '', headers, body };
}

async function forward(upstream: string, { method, path, headers, body }: PassingRequest): Promise<PassingAnswer> {
  const isBodiless = method === 'GET' || method === 'HEAD';
  const response = await fetch(`${upstream}${path}`, {
    method,
    headers,
    redirect: 'manual',
    body: isBodiless || body === '' ? null : Buffer.from(body, encodingOf(headers)),
  });
  const kept = passedBack.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const passed = Object.fromEntries(kept);
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: passed, body: bytes.toString(encodingOf(passed)) };
}

const passedBack = [
  ...['content-type', 'allow', 'request-id', 'retry-after', 'content-disposition', 'x-content-type-options'],
  ...['etag', 'accept-ranges', 'cache-control', 'content-security-policy'],
];

function encodingOf(headers: Readonly<Record<string, string>>): 'utf8' | 'latin1' {
  return /^(multipart|image|application\/pdf)/.test(headers['content-type'] ?? '') ? 'latin1' : 'utf8';
}
