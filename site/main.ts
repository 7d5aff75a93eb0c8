import { createServer, type Server } from 'node:http';
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { docsPath, openDocsSite } from '@agent-platform/server/docs-site';
import { buildSite } from './build-site.ts';

const help = `Builds the documentation site into site/dist, and serves it on this machine.

  npm run docs [-- --port <port>]   builds the site and serves it (port 4321)
  npm run docs -- --build           builds the site only
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '4321' },
      build: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const port = Number(values.port);
  if (!/^\d{1,5}$/.test(values.port) || port > 65_535) throw new Error('--port must be a number from 0 to 65535.');
  console.log('Building the site …');
  const folder = await buildSite();
  console.log(`The site is in ${relative('.', folder)}.`);
  if (values.build) return;
  const server = serve(folder).listen(port, '127.0.0.1', () => {
    const address = server.address();
    console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : port}${docsPath}/   (Ctrl-C ends)`);
  });
  server.once('error', (error: NodeJS.ErrnoException) => {
    console.error(error.code === 'EADDRINUSE' ? `Port ${port} is in use. Choose another with --port.` : error.message);
    process.exit(1);
  });
}

/** The same answers as a server with PLATFORM_DOCS_DIR, without the rest of it. */
function serve(folder: string): Server {
  const site = openDocsSite(folder, []);
  return createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
    if (!path.startsWith(`${docsPath}/`)) {
      response.writeHead(307, { location: `${docsPath}/` }).end();
      return;
    }
    const { status, headers, body } = await site.read(path, request.headers['if-none-match']);
    response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
