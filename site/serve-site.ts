import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { docsPath, openDocsSite } from '@agent-platform/server/docs-site';

/** Serves a built site on this machine with the answers of a server that has PLATFORM_DOCS_DIR, without the rest of it. */
export async function serveSite(folder: string, port = 0) {
  const site = openDocsSite(folder, []);
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
    if (path !== docsPath && !path.startsWith(`${docsPath}/`)) {
      response.writeHead(307, { location: `${docsPath}/` }).end();
      return;
    }
    const { status, headers, body } = await site.read(path, request.headers['if-none-match']);
    response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    site,
    /** The origin, without a slash at its end. */
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
