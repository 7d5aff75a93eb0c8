import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DocsSite, docsPath } from './docs-site.ts';

/** Mounts the documentation site below `/docs`. The limit per address counts its requests like all others. */
export function mountDocsSite(http: FastifyInstance, site: DocsSite): void {
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const path = decodeURIComponent(request.url.split('?', 1)[0] ?? '');
    const { status, headers, body } = await site.read(path, request.headers['if-none-match']);
    return await reply.code(status).headers(headers).send(body);
  };
  http.get(docsPath, handler);
  http.get(`${docsPath}/*`, handler);
}
