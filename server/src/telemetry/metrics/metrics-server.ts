import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const path = '/metrics';

/** Scrapers that are connected at the same time. */
const connectionsMax = 64;
const requestTimeoutMs = 5_000;

/** Serves the metrics on a port of their own, in the text format of Prometheus. */
export async function serveMetrics(render: () => Promise<string>, host: string, port: number) {
  const server = createServer((request, response) => {
    answer(render, request, response).catch(() => response.destroy());
  });
  server.maxConnections = connectionsMax;
  server.requestTimeout = requestTimeoutMs;
  server.unref().listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    const message = `The metrics cannot be served on port ${port} of ${host}. Set PLATFORM_METRICS_PORT to a free port and PLATFORM_METRICS_HOST to an address of this machine.`;
    throw new Error(message, { cause });
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}${path}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  render: () => Promise<string>,
  { method, url }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (url?.split('?', 1)[0] !== path) {
    response.writeHead(404).end();
    return;
  }
  if (method !== 'GET' && method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  const text = await render();
  response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  response.end(method === 'HEAD' ? undefined : text);
}
