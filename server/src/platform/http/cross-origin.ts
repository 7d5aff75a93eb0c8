import { operations } from '@agent-platform/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const allowOrigin = 'access-control-allow-origin';

const permission = {
  'access-control-allow-methods': [...new Set(operations.map(({ method }) => method))].join(', '),
  'access-control-allow-headers': 'authorization, content-type',
} as const;

/** Returns the headers that allow a page of a listed origin to read a response (§1.36), none for other origins. */
export function makeCorsHeaders(
  origins: readonly string[],
  origin: string | undefined,
): Readonly<Record<string, string>> {
  if (origin === undefined || !origins.includes(origin)) return {};
  return {
    [allowOrigin]: origin,
    'access-control-expose-headers': 'Retry-After, request-id, ETag, Content-Disposition',
  };
}

/** Adds the headers of `makeCorsHeaders` to every response, and a `Vary` header because they depend on the origin. */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(makeCorsHeaders(origins, request.headers.origin));
    done();
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    const others = reply.getHeader('vary');
    reply.header('vary', others === undefined ? 'Origin' : `${others}, Origin`);
    done();
  });
}

/** Responds to a preflight from an origin that `allowOrigins` recognized (§1.35); false for any other request. */
export function answerPreflight({ method }: FastifyRequest, reply: FastifyReply): boolean {
  if (method !== 'OPTIONS' || !reply.hasHeader(allowOrigin)) return false;
  reply.code(204).headers(permission).send();
  return true;
}
