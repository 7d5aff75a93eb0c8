import { codeIn, idIn, jsonReply, parseJsonObject, tokenOf, withJson, withToken } from '../faults.ts';
import { partOf, withField } from '../forms.ts';
import { pathBelowApi, textIn } from '../memories.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../passing.ts';
import { type GeneratedFault, makeFaultFactory } from './generated.ts';

/** A kind of item that a server must store forever, and the behaviour of a server that has lost it. */
interface Remembered {
  readonly what: string;
  readonly violates: string;
  /** Returns the item that a server must store after this exchange, if any. */
  readonly learn: (request: ProxiedRequest, reply: ProxiedReply) => string | undefined;
  /** Returns the item that a request concerns. */
  readonly meets: (request: ProxiedRequest) => string;
  readonly forgotten: (request: ProxiedRequest, token: string) => ProxiedRequest | ProxiedReply;
}

const isPost = (request: ProxiedRequest, place: string) => request.method === 'POST' && pathBelowApi(request) === place;
const renamed = (name: string, value: () => unknown) => (request: ProxiedRequest) =>
  withJson(request, (body) => ({ ...body, [name]: value() }));

const things: readonly Remembered[] = [
  {
    ...{ what: 'a nonce', violates: 'a nonce is not used again' },
    learn: (request, { status }) => (isPost(request, '/messages') && status === 201 ? nonceOf(request) : undefined),
    meets: nonceOf,
    forgotten: (request) => {
      // With another nonce, the server accepts the message as if it had lost the used one.
      return renamed('nonce', () => Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64'))(
        request,
      );
    },
  },
  {
    ...{ what: 'a revocation', violates: 'a revoked token stays revoked' },
    learn: (request, { status }) =>
      pathBelowApi(request).startsWith('/tokens/') && status === 200 ? tokenOf(request) : undefined,
    meets: (request) => tokenOf(request) ?? '',
    forgotten: (request, token) => (token === '' ? request : withToken(request, token)),
  },
  {
    ...{ what: 'a handle', violates: 'a handle stays unique' },
    learn: (request, { status }) =>
      status === 201 && isPost(request, '/bots/register') ? handleOf(request) : undefined,
    meets: handleOf,
    forgotten: renamed('handle', () => `f${crypto.randomUUID().slice(0, 8)}`),
  },
  {
    ...{ what: 'a rejected upload', violates: 'the id of a rejected upload stays unavailable' },
    learn: (request, reply) => (codeIn(reply) === 'invalid_file' ? partOf(request, 'upload_id') : undefined),
    meets: (request) => partOf(request, 'upload_id') ?? '',
    forgotten: (request) => withField(request, 'upload_id', crypto.randomUUID()),
  },
  {
    ...{ what: 'a block', violates: 'a block is permanent' },
    learn: (request, { status }) =>
      pathBelowApi(request).endsWith('/block') && status === 200 ? idIn(request.path) : undefined,
    meets: (request) => (pathBelowApi(request).endsWith('/accept') ? idIn(request.path) : ''),
    forgotten: (request) => jsonReply(200, { contact: { contact_id: idIn(request.path), status: 'friends' } }),
  },
  {
    ...{ what: 'a deleted post', violates: 'a deleted post is no longer returned' },
    learn: (request, { status }) => (request.method === 'DELETE' && status === 200 ? idIn(request.path) : undefined),
    meets: (request) => (pathBelowApi(request).startsWith('/posts/') ? idIn(request.path) : ''),
    forgotten: (request) => jsonReply(200, { post: { id: idIn(request.path), state: 'public', text: 'Deleted.' } }),
  },
];

const ends: readonly (readonly [string, (since: ProxiedRequest, request: ProxiedRequest, works: number) => boolean])[] =
  [
    ['at once', () => true],
    ['after other work', (_, __, works) => works > 1],
    ['after a second', (since, request) => (request.atMs ?? 0) > (since.atMs ?? 0) + 1_000],
  ];

export const lifetimeFaults: readonly GeneratedFault[] = ends.flatMap(([end, isOver]) =>
  things.map(({ what, violates, learn, meets, forgotten }) =>
    makeFaultFactory(`forgets ${end}`, violates)('server', what, (): Fault => {
      const known = new Map<string, { readonly since: ProxiedRequest; readonly works: number }>();
      let works = 0;
      const working = new Set<string>();
      return {
        onRequest: (request) => {
          if (request.method !== 'GET') works += 1;
          const one = known.get(meets(request));
          if (one === undefined || isRepeat(one.since, request) || !isOver(one.since, request, works - one.works))
            return request;
          return forgotten(request, [...working].at(-1) ?? '');
        },
        onReply: (reply, request) => {
          const key = learn(request, reply);
          if (key !== undefined && key !== '' && !known.has(key)) known.set(key, { since: request, works });
          const token = tokenOf(request) ?? '';
          if (reply.status === 200 && token !== '' && token !== key) working.add(token);
          if (token === key) working.delete(token);
          return reply;
        },
      };
    }),
  ),
);

function isRepeat(one: ProxiedRequest, other: ProxiedRequest): boolean {
  const id = parseJsonObject(one.body)?.['client_message_id'];
  return id !== undefined && id === parseJsonObject(other.body)?.['client_message_id'];
}

function nonceOf(request: ProxiedRequest): string {
  return isPost(request, '/messages') ? textIn(parseJsonObject(request.body), 'nonce') : '';
}

function handleOf(request: ProxiedRequest): string {
  return isPost(request, '/bots/register') ? textIn(parseJsonObject(request.body), 'handle') : '';
}
