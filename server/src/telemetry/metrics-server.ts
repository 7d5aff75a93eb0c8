import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getSystemErrorMessage } from 'node:util';

const path = '/metrics';

/** The maximum number of connected scrapers. */
const connectionsMax = 64;
/** The time limit for a scraper to send its request, and to read a part of the response. */
const patienceMs = 5_000;

/** Serves the metrics on a separate port, in the text format of Prometheus. */
export async function serveMetrics(
  render: () => Promise<string>,
  host: string,
  port: number,
  timeoutMs: number = patienceMs,
) {
  const times = { headersTimeout: timeoutMs, requestTimeout: timeoutMs, connectionsCheckingInterval: timeoutMs / 5 };
  const server = createServer(times, (request, response) => {
    answer(render, request, response).catch(() => response.destroy());
  });
  server.maxConnections = connectionsMax;
  server.timeout = timeoutMs;
  server.unref().listen(port, host);
  await once(server, 'listening').catch(({ errno = 0 }: NodeJS.ErrnoException) => {
    // Omits the original error code, with which the failure would be attributed to the database or to PORT.
    const reason = getSystemErrorMessage(errno);
    const remedy = 'Set PLATFORM_METRICS_PORT to a free port and PLATFORM_METRICS_HOST to an address of this machine.';
    throw new Error(`The metrics cannot be served on port ${port} of ${host} (${reason}). ${remedy}`);
  });
  // Prevents a crash: without free file descriptors, the server emits an error for each connection that it refuses.
  server.on('error', () => undefined);
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
