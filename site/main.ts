import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { docsPath } from '@agent-platform/server/docs-site';
import { buildSite } from './build-site.ts';
import { serveSite } from './serve-site.ts';

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
  const { url } = await serveSite(folder, port).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    throw new Error(`Port ${port} is in use. Choose another with --port.`);
  });
  console.log(`${url}${docsPath}/   (Ctrl-C ends)`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
