import { inAnswer, inBot, isAbout, json, type Mutant, parse, refusal, tokenOf } from '../faults.ts';
import type { Fault, PassingAnswer } from '../proxy.ts';
import { variant } from '../variant-faults.ts';
import { eventVariants } from './event-variants.ts';
import { friendshipVariants } from './friendship-variants.ts';
import { publicVariants } from './public-variants.ts';
import { tradeVariants } from './trade-variants.ts';

const me = '/api/v1/bots/me';
const change = `PATCH ${me}`;

/** Servers that are right and differ where the specification is silent, and the looks that see it. */
export const variants: readonly Mutant[] = [
  ...eventVariants,
  variant('passport-names', 'call key, fingerprint and dates otherwise', () => ({
    onAnswer: (answer, { path }) => ({
      ...answer,
      body: answer.body
        .replaceAll('"encryption_public_key"', '"x25519"')
        .replaceAll('"encryption_key_fingerprint"', '"sha256"')
        // In the ledger that name is stated.
        .replaceAll('"created_at"', path.startsWith('/api/v1/wallet') ? '"created_at"' : '"since"'),
    }),
  })),
  variant('timestamps', 'give dates without fractions', () => ({
    onAnswer: (answer) => ({ ...answer, body: answer.body.replaceAll(/(T\d\d:\d\d:\d\d)\.\d{3}Z/g, '$1+00:00') }),
  })),
  variant('ids', 'write ids in capitals', () => ({
    onAnswer: (answer) => ({ ...answer, body: answer.body.replaceAll(/"id":"[^"]+"/g, (id) => capital(id)) }),
  })),
  variant('token-form', 'have tokens of another form', () => renamedTokens),
  variant('token-lifetime', 'give tokens for a day', () =>
    inAnswer('POST /api/v1/bots/register', 201, (body) => ({
      ...body,
      token_expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    })),
  ),
  variant('rotation-members', 'call the new token otherwise', () =>
    inAnswer('POST /api/v1/tokens/rotate', 200, ({ token }) => ({ grant: { bearer: token } })),
  ),
  variant('revocation-members', 'answer nothing to a revocation', () =>
    inAnswer('POST /api/v1/tokens/revoke', 200, () => ({})),
  ),
  variant('health', 'have their health elsewhere', () => instead('GET /health/*', refusal(404, 'not_found'))),
  variant('openapi', 'have their contract elsewhere', () => instead('GET /openapi.json', refusal(404, 'not_found'))),
  variant('request-id', 'name no request', () => ({
    onAnswer: ({ headers: { 'request-id': _, ...headers }, ...answer }) => ({ ...answer, headers }),
  })),
  variant('slash', 'pass over a slash at the end', () => ({
    onRequest: (request) => ({ ...request, path: request.path.replace(/\/$/, '') }),
  })),
  variant('head', 'know no HEAD', () => instead(`HEAD ${me}`, { status: 405, headers: {}, body: '' })),
  variant('capital-id', 'know ids in one case', () => ({
    onRequest: (request) => (/bots\/.*[A-F]/.test(request.path) ? refusal(404, 'not_found') : request),
  })),
  variant('empty-change', 'refuse a change of nothing', () => onText('{}', refusal(400, 'invalid_input'))),
  variant('characters', 'count UTF-16 units', () => onText('𝒜', refusal(400, 'invalid_input'))),
  variant('unknown-path', 'know nothing of unknown paths', () =>
    instead('GET /api/v1/no', { status: 404, headers: {}, body: '' }),
  ),
  variant('malformed-id', 'find nothing under a malformed id', () =>
    instead('GET /api/v1/bots/no-uuid', refusal(404, 'not_found')),
  ),
  variant('broken-json', 'call broken JSON unknown fields', () => ({
    onAnswer: (answer, request) =>
      isAbout(request, change) && answer.status === 400 && parse(request.body) === undefined
        ? refusal(400, 'invalid_fields')
        : answer,
  })),
  variant('method', 'find nothing for unknown methods', () => ({
    onRequest: (request) => (request.method === 'PUT' ? refusal(404, 'not_found') : request),
  })),
  variant('blank-name', 'take spaces for a name', () => onText('"   "', json(200, { bot: {} }))),
  variant('null-character', 'take control characters', () => onText('\\u0000', json(200, { bot: {} }))),
  variant('json-look-alike', 'take what is nearly JSON', () => ({
    onRequest: (request) => ({
      ...request,
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, value.replace(/jsonp$/, 'json')]),
      ),
    }),
  })),
  variant('query', 'pass over unknown parameters', () => ({
    onRequest: (request) => ({ ...request, path: request.path.replace('?unheard=of', '') }),
  })),
  ...publicVariants,
  ...tradeVariants,
  ...friendshipVariants,
  {
    name: 'add members that nobody asked for',
    kills: [],
    fault: () => inBot(`GET ${me}`, 200, (bot) => Object.assign(bot, { mood: 'fine', stars: 5 })),
  },
];

function instead(about: string, answer: PassingAnswer): Fault {
  return { onRequest: (request) => (isAbout(request, about) ? answer : request) };
}

function onText(part: string, answer: PassingAnswer): Fault {
  return {
    onRequest: (request) =>
      isAbout(request, change) && request.body.includes(part) && !request.body.includes('""') ? answer : request,
  };
}

function capital(id: string): string {
  return id.replace(/:".*/, (value) => value.toUpperCase());
}

const renamedTokens: Fault = {
  onRequest: (request) => {
    const token = tokenOf(request);
    const authorization = token?.startsWith('tok.') ? `Bearer apt_${token.slice(4)}` : request.headers['authorization'];
    return authorization === undefined || token?.startsWith('apt_')
      ? { ...request, headers: withoutToken(request.headers) }
      : { ...request, headers: { ...request.headers, authorization } };
  },
  onAnswer: (answer) => ({ ...answer, body: answer.body.replaceAll('"apt_', '"tok.') }),
  frames: {
    onUpgrade: ({ url, authorization }) => ({
      url,
      authorization: authorization?.replace(/^Bearer tok\./, 'Bearer apt_'),
    }),
  },
};

function withoutToken(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'authorization'));
}
