import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { ToolFailure } from '@agent-platform/sdk/tools';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest, type McpServer } from '@modelcontextprotocol/server';
import { findAccessRefusal } from './access.ts';
import { LegacySessions } from './legacy-sessions.ts';

const path = '/mcp';
const bodyMaxBytes = 1024 * 1024;

interface HttpOptions {
  readonly port: number;
  /** The folder for the file with the bearer token. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
  /** The description of the served tools, for the start message. */
  readonly found: string;
}

/**
 * Serves streamable HTTP on the loopback interface until the signal aborts. Each start generates a random bearer token
 * and writes it to a file that only the owner can read; it is never printed.
 */
export async function serveHttp(
  make: () => McpServer,
  { port, folder, signal, report, found }: HttpOptions,
): Promise<void> {
  const bearer = randomBytes(32).toString('base64url');
  const modern = createMcpHandler(make, { legacy: 'reject', maxRequestBodySize: bodyMaxBytes });
  const legacy = new LegacySessions(make);
  const handle = toNodeHandler(
    {
      fetch: async (request) =>
        (await isLegacyRequest(request, undefined, { maxRequestBodySize: bodyMaxBytes }))
          ? await legacy.fetch(request)
          : await modern.fetch(request),
    },
    { maxRequestBodySize: bodyMaxBytes, onerror: ({ name }) => report(`a request failed: ${name}`) },
  );
  const server = createServer((request, response) => {
    if (!admit(request, response, bearer)) return;
    // Needs a cast: optional members may be undefined in the types of Node.js, but not in those of the adapter.
    void handle(request as Parameters<typeof handle>[0], response);
  });
  const actualPort = await listen(server, port);
  const bearerFile = join(folder, `mcp-http-${actualPort}.bearer`);
  try {
    await rm(bearerFile, { force: true });
    await writeFile(bearerFile, `${bearer}\n`, { mode: 0o600, flag: 'wx' });
    report(`serving ${found} on http://127.0.0.1:${actualPort}${path}; the bearer token is in ${bearerFile}`);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await rm(bearerFile, { force: true });
    await Promise.all([modern.close(), legacy.close()]);
    server.close();
    server.closeAllConnections();
  }
}

function admit(request: IncomingMessage, response: ServerResponse, bearer: string): boolean {
  const refusal = findAccessRefusal(request.headers, bearer);
  // Compares the raw request target: a URL parser would throw for some targets, and read a host from others.
  const isKnown = request.url?.split('?', 1)[0] === path;
  if (refusal === undefined && isKnown) return true;
  const { status, message } = refusal ?? { status: 404, message: `There is only ${path}.` };
  const challenge = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...challenge });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }));
  return false;
}

async function listen(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    throw new ToolFailure(
      'port_in_use',
      `Port ${port} is in use or not permitted.`,
      'Choose another one, or 0 for a free one.',
    );
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
