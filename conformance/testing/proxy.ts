import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { forwardUpgrades } from './frame-proxy.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from './passing.ts';

export interface RunningProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a proxy that behaves like the server at `upstream`, except for a fault. */
export async function startProxy(upstream: string, fault: Fault): Promise<RunningProxy> {
  const replyTo = async (request: ProxiedRequest): Promise<ProxiedReply> => {
    const passing = fault.onRequest?.(request) ?? request;
    if ('status' in passing) return passing;
    const [there, back] = fault.delays?.(request) ?? [];
    if (there !== undefined) await sleep(there);
    const reply = await forward(upstream, passing);
    if (back !== undefined) await sleep(back);
    const more = fault.also?.(reply, request);
    if (more !== undefined) await forward(upstream, more);
    return fault.onReply?.(reply, request) ?? reply;
  };
  return await startReplyServer(replyTo, (server) =>
    forwardUpgrades(server, toStreamUrl(upstream), fault.frames ?? {}),
  );
}

export function toStreamUrl(url: string): string {
  return url.replace(/^http/, 'ws');
}

export async function startReplyServer(
  replyTo: (request: ProxiedRequest) => ProxiedReply | Promise<ProxiedReply>,
  takeUpgrades?: (server: Server) => () => void,
): Promise<RunningProxy> {
  const server = createServer(async (incoming, response) => {
    const request = await read(incoming).catch(() => undefined);
    // The client closed the connection before the end of its body.
    if (request === undefined) return;
    const { status, headers, body, raw } = await replyTo(request);
    if (raw !== undefined) return void incoming.socket.end(raw);
    const bytes = Buffer.from(body, encodingOf(headers));
    // A date of this machine could differ from the server's clock, which may have been moved.
    response.sendDate = false;
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

async function read(incoming: IncomingMessage): Promise<ProxiedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  const headers: Record<string, string> = {};
  for (const name of ['authorization', 'content-type']) {
    const value = incoming.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const body = Buffer.concat(chunks).toString(encodingOf(headers));
  const isChunked = 'transfer-encoding' in incoming.headers;
  return { atMs: Date.now(), method: incoming.method ?? '', path: incoming.url ?? '', headers, isChunked, body };
}

async function forward(upstream: string, { method, path, headers, body }: ProxiedRequest): Promise<ProxiedReply> {
  const isBodiless = method === 'GET' || method === 'HEAD';
  const response = await fetch(`${upstream}${path}`, {
    method,
    headers,
    redirect: 'manual',
    body: isBodiless || body === '' ? null : Buffer.from(body, encodingOf(headers)),
  });
  const passed = Object.fromEntries([...response.headers].filter(([name]) => !ofConnection.includes(name)));
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: passed, body: bytes.toString(encodingOf(passed)) };
}

// Headers that apply only to the connection to the server, or to the body as transferred on it.
const ofConnection = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'content-encoding'];

function encodingOf(headers: Readonly<Record<string, string>>): 'utf8' | 'latin1' {
  return /^(multipart|image|application\/pdf)/.test(headers['content-type'] ?? '') ? 'latin1' : 'utf8';
}
