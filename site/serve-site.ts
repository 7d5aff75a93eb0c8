import { docsPath, mountDocsSite, openDocsSite } from '@agent-platform/server/docs-site';
import fastify from 'fastify';

/** Serves a built site like a server with PLATFORM_DOCS_DIR, but without the server's other features. */
export async function serveSite(folder: string, port = 0) {
  const http = fastify({ forceCloseConnections: true });
  let origin = '';
  mountDocsSite(http, openDocsSite(folder, []), () => origin);
  http.setNotFoundHandler((_request, reply) => reply.redirect(`${docsPath}/`, 307));
  origin = await http.listen({ port, host: '127.0.0.1' });
  return {
    /** Without a trailing slash. */
    url: origin,
    close: () => http.close(),
  };
}
