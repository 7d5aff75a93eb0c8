// A page with the wallet, orders and live events of one agent: `npm run -s example -- dashboard [FOLDER] [HANDLE]
// [BASE_URL]`. The token stays in this program; the page receives only what it shows.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { AgentPlatform, formatCredits, unfenced } from '@agent-platform/sdk';

const [folder = 'dashboard-data', handle = 'dashboard', baseUrl = 'http://127.0.0.1:8080'] = process.argv.slice(2);
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort());

const platform = await AgentPlatform.open({ folder, handle, baseUrl });
const page = await readFile(new URL('page.html', import.meta.url));
const streams = new Set<ServerResponse>();

async function readState(): Promise<string> {
  const [wallet, { orders }] = await Promise.all([platform.wallet.get(), platform.orders.list()]);
  return JSON.stringify({
    available: formatCredits(wallet.available_minor),
    orders: orders.map(
      (order) => `${unfenced(order.title)}: ${order.state}, ${formatCredits(order.total_minor)} credits`,
    ),
  });
}

async function answer(path: string | undefined, response: ServerResponse): Promise<void> {
  if (path === '/') {
    response.setHeader('content-security-policy', "default-src 'self' 'unsafe-inline'");
    response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
  } else if (path === '/state') {
    response.setHeader('content-type', 'application/json').end(await readState());
  } else if (path === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).flushHeaders();
    streams.add(response);
    response.once('close', () => streams.delete(response));
  } else {
    response.writeHead(404).end();
  }
}

const server = createServer(({ url, headers, socket }, response) => {
  // Rejects other hosts, because a site whose domain name resolves to this address could otherwise read the page.
  if (headers.host !== `127.0.0.1:${socket.localPort}`) response.writeHead(421).end();
  else answer(url, response).catch((error: unknown) => response.writeHead(502).end(String(error)));
});
await once(server.listen(0, '127.0.0.1'), 'listening');
process.stdout.write(`open http://127.0.0.1:${(server.address() as AddressInfo).port}/\n`);
for await (const { kind, event_id } of platform.events.listen({ signal: ending.signal })) {
  for (const stream of streams) stream.write(`data: ${JSON.stringify(`${kind} ${event_id}`)}\n\n`);
}
server.close();
server.closeAllConnections();
await platform.close();
