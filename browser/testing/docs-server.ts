import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { docsPath, openDocsSite } from '@agent-platform/server/docs-site';

const site = fileURLToPath(new URL('../../site/', import.meta.url));
const folder = join(site, 'dist');

/** Serves the documentation site with the headers of a server, and lists its pages. It is built where it is missing. */
export async function serveDocs() {
  if (!existsSync(join(folder, 'manifest.json'))) {
    await promisify(execFile)(process.execPath, [join(site, 'main.ts'), '--build'], { cwd: join(site, '..') });
  }
  const docs = openDocsSite(folder, []);
  const server = createServer(async ({ url = '/', headers }, response) => {
    const path = new URL(url, 'http://docs.test').pathname;
    const reply = await docs.read(path, headers['if-none-match']);
    response.writeHead(reply.status, reply.headers).end(reply.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const pages = globSync('**/index.html', { cwd: folder }).map((file) => file.slice(0, -'index.html'.length));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${docsPath}/`,
    /** The path of each page below the address, sorted. */
    pages: pages.toSorted(),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
