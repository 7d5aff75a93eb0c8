import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pathNotFoundRefusal } from '../../platform/failure.ts';
import { clientAddressOf, makeAddressKey } from '../../platform/http/address.ts';
import { matchesEtag } from '../../platform/http/headers.ts';
import { toRoutePath } from '../../platform/http/mount.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Asset } from './asset.ts';

/**
 * Renders a body from the name in the path and the query parameters. Returns undefined if there is nothing to show.
 * `reader` is the key of the client's address.
 */
export type BodyRenderer = (
  name: string,
  parameters: URLSearchParams,
  reader: string,
) => Promise<string | undefined> | string | undefined;

/** In `path`, `{name}` is a placeholder. */
interface Page {
  readonly path: string;
  readonly type: string;
  readonly print: BodyRenderer;
  readonly printFailure: (status: number) => string;
}

/** Pages load nothing from other sites, run no scripts, and cannot be framed. */
const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
} as const;

/** Mounts a page. Caches must revalidate it each time, so that a closed profile disappears immediately. */
export function mountPage(http: FastifyInstance, { path, type, print, printFailure }: Page): void {
  const url = toRoutePath(path);
  http.get<{ Params: { readonly name?: string } }>(url, {
    handler: async (request, reply) => {
      const at = request.url.indexOf('?');
      const parameters = new URLSearchParams(at === -1 ? '' : request.url.slice(at + 1));
      const body = await print(request.params.name ?? '', parameters, makeAddressKey(clientAddressOf(request)));
      if (body === undefined) throw pathNotFoundRefusal();
      return send(request, reply, { type, body, etag: etagOf(body), caching: 'public, no-cache' });
    },
    // A refusal is logged as for any other request; only its body is a page for people.
    onSend: async (_request, reply, payload) =>
      reply.statusCode < 400 ? payload : failurePage(reply, printFailure(reply.statusCode)),
  });
  refuseOtherMethods(http, url);
}

const forPrograms = /^\/(?:api|ws|health)(?:[/?]|$)/i;

/** Answers a path that does not exist with a page if a browser requests it, and otherwise with an API error. */
export function mountFailurePages(http: FastifyInstance, printFailure: Page['printFailure']): void {
  http.decorate('errorPage', (request, reply) => {
    const isForPerson = request.is404 && !forPrograms.test(request.url) && wantsPage(request);
    return isForPerson ? failurePage(reply, printFailure(reply.statusCode)) : undefined;
  });
}

function wantsPage({ headers }: FastifyRequest): boolean {
  return headers.accept?.toLowerCase().includes('text/html') === true;
}

function failurePage(reply: FastifyReply, page: string): string {
  reply.headers({ ...pageHeaders, 'content-type': 'text/html; charset=utf-8' });
  return page;
}

export function mountAsset(http: FastifyInstance, { path, type, body }: Asset): void {
  const answer = { type, body, etag: etagOf(body), caching: 'public, max-age=31536000, immutable' };
  http.get(path, async (request, reply) => send(request, reply, answer));
  refuseOtherMethods(http, path);
}

function etagOf(body: string): string {
  return `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
}

interface Answer {
  readonly type: string;
  readonly body: string;
  readonly etag: string;
  readonly caching: string;
}

function send(request: FastifyRequest, reply: FastifyReply, { type, body, etag, caching }: Answer): FastifyReply {
  reply.headers({ ...pageHeaders, 'cache-control': caching, etag });
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.type(type).send(body);
}

function refuseOtherMethods(http: FastifyInstance, url: string): void {
  const allow = 'GET, HEAD';
  http.route({
    method: http.supportedMethods.filter((method) => method !== 'GET' && method !== 'HEAD'),
    url,
    onRequest: async (request) => {
      throw new Refusal('method_not_allowed', `${request.method} is not allowed here. This path supports ${allow}.`, {
        headers: { allow },
      });
    },
    handler: async () => undefined,
  });
}
