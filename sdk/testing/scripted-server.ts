import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from './listen.ts';

export type Responder = (response: ServerResponse, request: IncomingMessage) => void;

/** Each request receives the next response; the last response is repeated. */
export async function serveScript(...responders: readonly [Responder, ...Responder[]]) {
  const received: { method: string; path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString('utf8');
    const responder = responders[Math.min(received.length, responders.length - 1)];
    received.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
    responder?.(response, request);
  });
  return { url: await listen(server), received };
}

export async function getClosedPortUrl(): Promise<string> {
  const server = createServer();
  const url = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return url;
}

export function replyJson(status: number, body: unknown, headers: Record<string, string> = {}): Responder {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'r-1', ...headers });
    response.end(JSON.stringify(body));
  };
}

export function replyError(status: number, code: string, headers: Record<string, string> = {}): Responder {
  return replyJson(status, { error: { code, message: `Refused: ${code}.` } }, headers);
}

export function replyText(status: number, body: string, headers: Record<string, string> = {}): Responder {
  return (response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers });
    response.end(body);
  };
}

export const breakConnection: Responder = (_, request) => {
  request.socket.resetAndDestroy();
};

export const breakInBody: Responder = (response, request) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
  response.write('{"bot":{"id":"', () => request.socket.destroy());
};

export const neverRespond: Responder = () => undefined;

export const stallInBody: Responder = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"bot":');
};

export function replyWithRawBytes(bytes: string): Responder {
  return (_, request) => {
    request.socket.end(bytes);
  };
}
