import {
  atOnce,
  type FaultyServer,
  faultTable,
  isAbout,
  json,
  parse,
  path,
  refusal,
  renamed,
  reply,
  replyWhen,
  request,
  requestWhen,
  set,
  tokenOf,
} from '../faults.ts';
import type { Fault, PassingReply } from '../passing.ts';
import { eventVariants } from './event-variants.ts';
import { friendshipVariants } from './friendship-variants.ts';
import { publicVariants } from './public-variants.ts';
import { tradeVariants } from './trade-variants.ts';

const me = '/api/v1/bots/me';
const change = `PATCH ${me}`;
const notFound = refusal(404, 'not_found');
const onText = (part: string, instead: PassingReply) =>
  requestWhen((sent) => isAbout(sent, change) && sent.body.includes(part) && !sent.body.includes('""'), instead);

const identityVariants = faultTable('choice', [
  [
    'rename key, fingerprint and dates',
    'passport-names',
    atOnce([
      renamed('/', [
        ['"encryption_public_key"', '"x25519"'],
        ['"encryption_key_fingerprint"', '"sha256"'],
      ]),
      // In the ledger that name is stated.
      replyWhen(
        (_, sent) => !sent.path.startsWith('/api/v1/wallet'),
        (passing) => ({ ...passing, body: passing.body.replaceAll('"created_at"', '"since"') }),
      ),
    ]),
  ],
  ['give dates without fractions', 'timestamps', renamed('/', [[/(T\d\d:\d\d:\d\d)\.\d{3}Z/g, '$1+00:00']])],
  [
    'write ids in capitals',
    'ids',
    replyWhen(
      () => true,
      (passing) => ({ ...passing, body: passing.body.replaceAll(/(?<="id":)"[^"]+"/g, (id) => id.toUpperCase()) }),
    ),
  ],
  ['have tokens of another form', 'token-form', otherTokens()],
  [
    'give tokens for a day',
    'token-lifetime',
    reply('POST /api/v1/bots/register 201', (body) => {
      body['token_expires_at'] = new Date(Date.now() + 86_400_000).toISOString();
    }),
  ],
  [
    'rename the new token',
    'rotation-members',
    reply('POST /api/v1/tokens/rotate 200', ({ token }) => ({ grant: { bearer: token } })),
  ],
  ['answer an empty object to a revocation', 'revocation-members', reply('POST /api/v1/tokens/revoke 200', () => ({}))],
  ['have their health elsewhere', 'health', request('GET /health/*', notFound)],
  ['have their contract elsewhere', 'openapi', request('GET /openapi.json', notFound)],
  [
    'name no request',
    'request-id',
    { onReply: ({ headers: { 'request-id': _, ...headers }, ...rest }) => ({ ...rest, headers }) },
  ],
  ['ignore a slash at the end', 'slash', path(/\/$/, '')],
  ['know no HEAD', 'head', request(`HEAD ${me}`, { status: 405, headers: {}, body: '' })],
  ['know ids in one case', 'capital-id', requestWhen((passing) => /bots\/.*[A-F]/.test(passing.path), notFound)],
  ['refuse a change of nothing', 'empty-change', onText('{}', refusal(400, 'invalid_input'))],
  ['count UTF-16 units', 'characters', onText('𝒜', refusal(400, 'invalid_input'))],
  [
    'answer unknown paths with an empty body',
    'unknown-path',
    request('GET /api/v1/no', { ...notFound, headers: {}, body: '' }),
  ],
  ['find nothing under a malformed id', 'malformed-id', request('GET /api/v1/bots/no-uuid', notFound)],
  [
    'call broken JSON unknown fields',
    'broken-json',
    replyWhen(
      ({ status }, sent) => isAbout(sent, change) && status === 400 && parse(sent.body) === undefined,
      refusal(400, 'invalid_fields'),
    ),
  ],
  ['find nothing for unknown methods', 'method', requestWhen(({ method }) => method === 'PUT', notFound)],
  ['take spaces for a name', 'blank-name', onText('"   "', json(200, { bot: {} }))],
  ['take control characters', 'null-character', onText('\\u0000', json(200, { bot: {} }))],
  ['take media types that resemble JSON', 'json-look-alike', takesSimilarTypes()],
  ['ignore unknown parameters', 'query', path('?unheard=of', '')],
]);

/** Correct servers that differ where the specification is silent, and the observations that see it. */
export const variants: readonly FaultyServer[] = [
  ...eventVariants,
  ...identityVariants,
  ...publicVariants,
  ...tradeVariants,
  ...friendshipVariants,
  {
    name: 'add unknown members',
    kills: [],
    fault: () => reply(`GET ${me} 200`, set('bot', { mood: 'fine', stars: 5 })),
  },
];

function takesSimilarTypes(): Fault {
  return requestWhen(
    ({ headers }) => headers['content-type']?.endsWith('jsonp') === true,
    (passing) => ({
      ...passing,
      headers: {
        ...passing.headers,
        'content-type': (passing.headers['content-type'] ?? '').replace(/jsonp$/, 'json'),
      },
    }),
  );
}

function otherTokens(): Fault {
  const known = (authorization: string | undefined) => authorization?.replace(/^Bearer tok\./, 'Bearer apt_');
  return {
    onRequest: (passing) => {
      const { authorization, ...headers } = passing.headers;
      const isUnknown = authorization === undefined || tokenOf(passing)?.startsWith('apt_');
      return { ...passing, headers: isUnknown ? headers : { ...headers, authorization: known(authorization) ?? '' } };
    },
    onReply: (passing) => ({ ...passing, body: passing.body.replaceAll('"apt_', '"tok.') }),
    frames: { onUpgrade: ({ url, authorization }) => ({ url, authorization: known(authorization) }) },
  };
}
